/** Loaded before a service of a test: its clock is ahead of the machine's by `EXTREMUM_TEST_CLOCK_AHEAD_MS`. */
const aheadMs = Number(process.env['EXTREMUM_TEST_CLOCK_AHEAD_MS'] ?? 0);
const RealDate = Date;

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + aheadMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};
