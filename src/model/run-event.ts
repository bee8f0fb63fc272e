/** What became of a run, for whoever wants to hear of it. */
export type RunEventType =
  | 'optimization.started'
  | 'optimization.completed'
  | 'optimization.failed'
  | 'optimization.cancelled'
  | 'optimization.stagnated'
  | 'optimization.timeout'
  | 'strategy.changed'
  | 'context.updated';

export interface RunEvent {
  readonly id: string;
  readonly type: RunEventType;
  readonly createdAt: number;
  /** The envelope as JSON text: made once, and the same bytes for everybody ever after. */
  readonly body: string;
}
