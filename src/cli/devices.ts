/** `extremum devices`: the GPUs of this host, how fast they are, and whether they give the values of the processor. */
import { representDevice } from '../api/service/answer.js';
import { ConfigError } from '../config.js';
import { checkDevice, type DeviceCheck } from '../evaluation/device-check.js';
import { listDevices, type DeviceReport } from '../evaluation/devices.js';
import { probeDevices } from '../evaluation/placement.js';
import { parseFlags } from './flags.js';
import { printable } from './text-safety.js';

export const DEVICES_HELP = `Usage: extremum devices [--json]

Lists the GPUs of this host, measures them, and compares their values with the processor's over a few functions: bit by bit,
those of TensorFlow.js and gpu.js within the error of single precision.

  --json   one object: {"backends": [{name, available, reason, device, devices: [{index, name, state, launch_seconds, ...,
           compared, problems}]}]}

A run uses a GPU where that is measured to be faster: "docs/guides/operating.md" says what a host needs for it.

Exit codes: 0 every GPU gives the processor's values; 1 one does not, or does not work; 2 wrong usage; 3 no GPU can be used here,
and the answer says why.`;

const NO_GPU = 3;

interface CheckedDevice extends DeviceReport {
  /** Null: it is not ready. */
  readonly check: DeviceCheck | null;
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
    const check = device.state === 'ready' ? await checkDevice(device.backend, device) : null;
    checked.push({ ...device, check });
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
  return checked.every(({ check }) => check !== null && check.problems.length === 0) ? 0 : 1;
}

const represent = (device: CheckedDevice): object => ({
  ...representDevice(device),
  compared: device.check?.compared ?? 0,
  problems: device.check?.problems ?? [],
});

function linesOf({ index, name, state, problem, speed, check }: CheckedDevice): string[] {
  const lines = [`  GPU ${index}  ${name}: ${state}${problem === null ? '' : `: ${problem}`}`];
  if (speed !== null) {
    const { launchSeconds, bytesPerSecond, operationsPerSecond } = speed;
    lines.push(
      `         a call takes ${(launchSeconds * 1e6).toFixed(0)} µs, copies ${(bytesPerSecond / 1e9).toPrecision(2)} GB/s, ` +
        `${(operationsPerSecond / 1e9).toPrecision(2)} thousand million operations/s in double precision`,
    );
  }
  if (check === null) return lines;
  const found =
    check.problems.length === 0
      ? [`${check.compared} batches have the processor's ${check.isExact ? 'bits' : 'values, within the error'}`]
      : check.problems.map((each) => `fails: ${each}`);
  return [...lines, ...found.map((each) => `         ${each}`)];
}
