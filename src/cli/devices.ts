/** `extremum devices`: the GPUs of this host, how fast they are, and whether they give the values of the processor. */
import { representDevice } from '../api/service/answer.js';
import { ConfigError } from '../config.js';
import { checkDevice, type DeviceCheck } from '../evaluation/device-check.js';
import { listDevices, type DeviceReport } from '../evaluation/devices.js';
import { probeDevices } from '../evaluation/placement.js';
import { parseFlags } from './flags.js';
import { printable } from './text-safety.js';

export const DEVICES_HELP = `Usage: extremum devices [--json]

Lists the GPUs of this host, measures them, and compares their values with the processor's over a few functions: in double
precision bit by bit, in single precision, and with TensorFlow.js and gpu.js, within the bound that is stated of each value.

  --json   one object: {"backends": [{name, available, reason, device, devices: [{index, name, state, launch_seconds, ...,
           compared, compared_single, problems}]}]}

A run uses a GPU where that is measured to be faster: "docs/guides/operating.md" says what a host needs for it.

Exit codes: 0 every GPU gives the processor's values; 1 one does not, or does not work; 2 wrong usage; 3 no GPU can be used here,
and the answer says why.`;

const NO_GPU = 3;

interface CheckedDevice extends DeviceReport {
  /** In each precision; empty: it is not ready. */
  readonly checks: readonly DeviceCheck[];
}

export async function devices(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    console.log(DEVICES_HELP);
    return 0;
  }
  let asJson: boolean;
  try {
    const flags = parseFlags(argv, [], ['json']);
    const [extra] = flags.positionals;
    if (extra !== undefined) throw new ConfigError(`Unknown argument ${JSON.stringify(extra)}.`);
    asJson = flags.switches.has('json');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(printable(error.message));
    return 2;
  }
  const backends = await probeDevices();
  const checked: CheckedDevice[] = [];
  for (const device of await listDevices(true)) {
    checked.push({ ...device, checks: device.state === 'ready' ? await checkDevice(device.backend, device) : [] });
  }
  if (asJson) {
    const answer = backends.map((backend) => ({
      name: backend.name,
      available: backend.available,
      ...(backend.available ? { device: backend.device } : { reason: backend.reason }),
      devices: checked.filter((device) => device.backend === backend.name).map(represent),
    }));
    console.log(JSON.stringify({ backends: answer }));
  } else {
    for (const { name, ...backend } of backends) {
      const words = backend.available ? backend.device : `no GPU can be used: ${backend.reason}`;
      console.log(printable(`${name}: ${words}`));
      for (const device of checked.filter((one) => one.backend === name)) {
        for (const line of linesOf(device)) console.log(printable(line));
      }
    }
  }
  // TensorFlow.js and gpu.js work on processors, too.
  const hasGpu = (backend: string): boolean => checked.some((device) => device.backend === backend);
  if (!backends.some(({ name, available }) => available && hasGpu(name))) return NO_GPU;
  return checked.every(({ checks }) => checks.length > 0 && checks.every(isSound)) ? 0 : 1;
}

const isSound = ({ problems }: DeviceCheck): boolean => problems.length === 0;

const comparedIn = ({ checks }: CheckedDevice, wanted: DeviceCheck['precision']): number =>
  checks.find(({ precision }) => precision === wanted)?.compared ?? 0;

const represent = (device: CheckedDevice): object => ({
  ...representDevice(device),
  compared: comparedIn(device, 'f64'),
  compared_single: comparedIn(device, 'f32'),
  problems: device.checks.flatMap(({ precision, problems }) => problems.map((each) => `${precision}: ${each}`)),
});

function linesOf({ index, name, state, problem, speed, checks }: CheckedDevice): string[] {
  const lines = [`  GPU ${index}  ${name}: ${state}${problem === null ? '' : `: ${problem}`}`];
  if (speed !== null) {
    const { launchSeconds, bytesPerSecond, operationsPerSecond } = speed;
    lines.push(
      `         a call takes ${(launchSeconds * 1e6).toFixed(0)} µs, copies ${(bytesPerSecond / 1e9).toPrecision(2)} GB/s, ` +
        `${(operationsPerSecond / 1e9).toPrecision(2)} thousand million operations/s in double precision`,
    );
  }
  const found = checks.flatMap((check) =>
    isSound(check)
      ? [`${check.compared} batches in ${check.precision} have the processor's ${LIKENESS[check.precision]}`]
      : check.problems.map((each) => `fails in ${check.precision}: ${each}`),
  );
  return [...lines, ...found.map((each) => `         ${each}`)];
}

const LIKENESS = { f64: 'bits', f32: 'values, within their bounds' } as const;
