/**
 * The sandboxed CPython of a process: what the service, the command line and the library start alike. A composition
 * root.
 */
import { MessageChannel } from 'node:worker_threads';
import { createCPythonBackend } from './backends/cpython/cpython-backend.js';
import { noticesOf, probePython } from './backends/cpython/interpreter.js';
import type { PoolObserver } from './backends/cpython/pool.js';
import { ProcessMeter } from './backends/cpython/process-meter.js';
import type { CodeAccess } from './backends/cpython/worker-spec.js';
import { SharedKernels } from './backends/cpython/shared-kernels.js';
import { serveKernel } from './backends/remote-kernel.js';
import type { Logger } from './common/logger.js';
import type { PythonConfig } from './config.js';
import { resultsIn } from './model/objective.js';
import { NO_OFFER_USE, type OfferUse, type PythonHost } from './runs/python-host.js';

/** Python 3 semantics without an interpreter to ask. */
const DEFAULT_PYTHON_MINOR = 12;

/** The CPython backend as the main thread offers it to others. */
export async function startPython(
  { python: name, pythonLimits: wanted, access }: PythonConfig & { readonly access?: CodeAccess },
  logger: Logger,
  observer: PoolObserver = {},
): Promise<PythonHost & { close(): Promise<void> }> {
  const python = name ?? 'off';
  const { evaluationSeconds, mostEvaluationSeconds, loadSeconds, ...rest } = wanted;
  // Beyond what the service's own control group has, a process would be ended instead of getting a MemoryError.
  const hostBytes = process.constrainedMemory() || Infinity;
  const memoryBytes = Math.min(wanted.memoryBytes, hostBytes);
  const mostMemoryBytes = Math.min(wanted.mostMemoryBytes, hostBytes);
  for (const [name, set] of [
    ['PYTHON_MEMORY_BYTES', wanted.memoryBytes],
    ['PYTHON_MAX_MEMORY_BYTES', wanted.mostMemoryBytes],
  ] as const) {
    if (set > hostBytes)
      logger.warn({ wanted: set, memoryBytes: hostBytes }, `${name} is more than this service may use itself`);
  }
  const backend = createCPythonBackend({
    python,
    ...rest,
    memoryBytes,
    mostMemoryBytes,
    observer,
    access,
    evaluationTimeoutMs: evaluationSeconds * 1000,
    mostEvaluationMs: mostEvaluationSeconds * 1000,
    loadTimeoutMs: loadSeconds * 1000,
  });
  const [availability, interpreter] = await Promise.all([backend.probe(), probePython(python)]);
  const inForce = availability.available ? await backend.limits() : null;
  const limits =
    inForce === null
      ? null
      : {
          ...wanted,
          memoryBytes: inForce.memoryBytes,
          mostMemoryBytes: inForce.mostMemoryBytes,
          cpuSeconds: inForce.cpuSeconds,
        };
  if (availability.available) logger.info({ device: availability.device, limits }, 'CPython in its sandbox');
  if (!availability.available && name !== null) {
    logger.warn(
      { reason: availability.reason },
      'CPython is not available: sources outside the compiled subset are refused',
    );
  }
  const notices = availability.available && interpreter.available ? noticesOf(interpreter) : [];
  for (const notice of notices) logger.info({}, notice);
  // Those that check values; they outlive the runs.
  const checking = new SharedKernels();
  return {
    availability,
    notices,
    limits,
    facts: async (code) => (availability.available ? backend.facts(code) : null),
    judge: (source) => backend.judge(source),
    counts: () => {
      const { busy, spare } = backend.counts();
      return { busy: Math.max(0, busy - checking.size), spare, checking: checking.size };
    },
    pythonMinor: interpreter.available ? interpreter.minor : DEFAULT_PYTHON_MINOR,
    offer(source, dimension, { loadWithinMs, owner, verify, pythonMinor, isMisread }) {
      if (!availability.available) {
        const { reason } = availability;
        const unchecked = verify ? 'no_interpreter' : 'setting';
        return {
          access: { port: null, reason },
          unchecked,
          withdraw: async () => NO_OFFER_USE,
          waitedSeconds: () => 0,
        };
      }
      const { port1, port2 } = new MessageChannel();
      const meter = new ProcessMeter();
      const isOther = !interpreter.available || interpreter.minor !== pythonMinor;
      const unchecked = !verify ? 'setting' : isOther ? 'other_python' : null;
      // Never shared: owner, text, and whatever else the process is told of the source.
      const lease = checking.lease(JSON.stringify([owner, source, dimension]), () =>
        backend.open({ source, dimension, ir: null }, { isAlone: true, argument: 'checked' }),
      );
      const server = serveKernel(
        port1,
        () =>
          backend.open(
            { source, dimension, ir: null },
            { loadWithinMs, meter, argument: isMisread ? 'read' : 'given' },
          ),
        resultsIn(source),
        unchecked === null ? lease : undefined,
      );
      const withdraw = async (): Promise<OfferUse> => {
        await server.close().catch((error: unknown) => logger.warn({ err: error }, 'a Python kernel did not close'));
        return { ...meter.use, checkSeconds: lease.seconds };
      };
      // Who says that calls are free of each other says that they are worth it, too.
      const isWide = source.stateless === true && source.vectorized !== true;
      return {
        access: { port: port2, sideBySide: isWide ? limits!.processesPerRun : 1 },
        unchecked,
        withdraw,
        waitedSeconds: () => server.waitedSeconds(),
      };
    },
    close: async () => {
      await checking.close();
      await backend.close();
    },
  };
}
