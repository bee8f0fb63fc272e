/**
 * Backends of the processor and of a device under which no clock decides where a batch of a run goes: the processor
 * waits for a device that is being opened, and by `clock` a batch takes the processor a second and the device a
 * millisecond, whatever they take.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

export class CountedPlaces {
  /** Resolves when the device is known, and its kernel open, or cannot be; null: nobody has asked for it. */
  opening = null;
  /** The device's latest batch. */
  working = null;
  seconds = 0;
  clock = {
    now: () => this.seconds,
    turn: async () => {
      await this.opening;
      await this.working;
      await nextTurn();
    },
  };

  /** `slowMs`: the device takes so much longer for each batch. The others are those of `run-on-device.mjs`. */
  constructor({ slowMs = 0, isMeasured = true, isCounted = true } = {}) {
    this.slowMs = slowMs;
    this.isTimed = isMeasured && !isCounted;
  }

  device(registration) {
    const opened = this.wrapped(
      registration,
      (open) => (objective) => this.awaited(open(objective).then((kernel) => this.slowed(kernel))),
    );
    return {
      ...opened,
      create: (options) => {
        const backend = opened.create(options);
        const probe = backend.probe.bind(backend);
        // It comes first, and takes its time on a busy machine.
        backend.probe = () => this.awaited(probe());
        return backend;
      },
    };
  }

  awaited(promise) {
    this.opening = promise.catch(() => {});
    return promise;
  }

  /** Waits for the device, so that no clock decides whether there is work left for it. */
  patient(registration) {
    return this.wrapped(registration, (open) => async (objective) => {
      const kernel = await open(objective);
      const evaluate = kernel.evaluate.bind(kernel);
      kernel.evaluate = async (...call) => {
        // The device is looked for first.
        if (this.isTimed) await sleep(1);
        await this.opening;
        await evaluate(...call);
        this.seconds += 1;
      };
      return kernel;
    });
  }

  slowed(kernel) {
    const evaluate = kernel.evaluate.bind(kernel);
    kernel.evaluate = async (...call) => {
      if (this.slowMs > 0) await sleep(this.slowMs);
      this.working = evaluate(...call).finally(() => (this.seconds += 1e-3));
      await this.working;
    };
    return kernel;
  }

  wrapped(registration, openedBy) {
    return {
      ...registration,
      create(options) {
        const backend = registration.create(options);
        backend.open = openedBy(backend.open.bind(backend));
        return backend;
      },
    };
  }
}
