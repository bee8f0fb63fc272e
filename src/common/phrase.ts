/**
 * Sentences with the numbers that they rest on, so that what is said and what is kept as evidence cannot drift apart.
 */

/** Numbers by name. */
export type Numbers = Readonly<Record<string, number>>;

/** Significant digits of numbers in sentences that are no integers. */
const DIGITS = 6;

/** As a sentence shows it. `toPrecision` is exact, so the text is the same on every machine. */
const shownNumber = (value: number): string =>
  String(Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)));

/**
 * The template with `{name}` replaced by the number of that name.
 * @throws {Error} for a name that has no number: a defect
 */
export function phrase(template: string, numbers: Numbers): string {
  return template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = numbers[name];
    if (value === undefined) throw new Error(`no number "${name}" for: ${template}`);
    return shownNumber(value);
  });
}
