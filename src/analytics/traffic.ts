/**
 * Bytes of requests about runs and of their answers, collected and stored every few seconds: an answer is written when
 * its run has long ended. What a process has collected and not stored when it is killed is lost.
 */
import type { Logger } from '../common/logger.js';
import type { RunTraffic } from '../model/run-facts.js';
import type { AnalyticsStore } from '../storage/contract/analytics.js';

const STORE_EVERY_MS = 5_000;
/** Runs whose bytes are stored in one transaction. */
const AT_ONCE = 500;

export class TrafficMeter {
  private readonly analyticsStore: Pick<AnalyticsStore, 'addTraffic'>;
  private readonly logger: Logger;
  private collected = new Map<string, RunTraffic>();
  private timer: NodeJS.Timeout | null = null;

  constructor(store: Pick<AnalyticsStore, 'addTraffic'>, logger: Logger) {
    this.analyticsStore = store;
    this.logger = logger;
  }

  readonly note = (runId: string, bytesIn: number, bytesOut: number): void => {
    const known = this.collected.get(runId) ?? { bytesIn: 0, bytesOut: 0 };
    this.collected.set(runId, { bytesIn: known.bytesIn + bytesIn, bytesOut: known.bytesOut + bytesOut });
    this.timer ??= setTimeout(() => void this.store(), STORE_EVERY_MS).unref();
  };

  /** Never rejects: what cannot be stored is not tried again, because it may have been. */
  async store(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const reports = [...this.collected].map(([runId, traffic]) => ({ runId, ...traffic }));
    this.collected = new Map();
    try {
      for (let i = 0; i < reports.length; i += AT_ONCE)
        await this.analyticsStore.addTraffic(reports.slice(i, i + AT_ONCE));
    } catch (error) {
      this.logger.warn({ err: error, runs: reports.length }, 'traffic of runs not stored');
    }
  }
}
