/** Events in the life of a run, for whoever wants to hear of them. */
export const RUN_EVENT_TYPES = [
  'optimization.started',
  'optimization.completed',
  'optimization.failed',
  'optimization.cancelled',
  'optimization.stagnated',
  'optimization.timeout',
  'strategy.changed',
  'backend.changed',
  'context.updated',
] as const;
export type RunEventType = (typeof RUN_EVENT_TYPES)[number];
/** Only on the stream of the run: what webhooks are told is a closed list. */
export const STREAM_ONLY = 'backend.changed' satisfies RunEventType;

/** Its name on the stream of the run. */
export const streamName = (type: RunEventType): string => type.replace('optimization.', '');

export interface RunEvent {
  readonly id: string;
  readonly type: RunEventType;
  readonly createdAt: number;
  /** The envelope as JSON text: made once, and the same bytes for everybody ever after. */
  readonly body: string;
}
