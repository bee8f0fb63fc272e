/** The course of a run: its history, and what comes in while it runs. */
import { useEffect, useState } from 'preact/hooks';
import { connection, get, probe } from '../api/client.js';
import type { HistoryPoint, Page } from '../api/types.js';
import { useSignal } from '../ui/signal.js';

export interface Happening {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Course {
  readonly points: readonly HistoryPoint[];
  readonly happenings: readonly Happening[];
}

interface Progress {
  readonly evaluations: number;
  readonly best_fitness: number | null;
  readonly hypervolume?: number | null;
  readonly elapsed_seconds: number;
}

const STORED = [
  ...['started', 'completed', 'failed', 'cancelled', 'stagnated', 'timeout'],
  ...['strategy.changed', 'backend.changed', 'context.updated'],
];
const ENDS = ['completed', 'failed', 'cancelled'];
const EMPTY: Course = { points: [], happenings: [] };

export const historyOf = (id: string): Promise<Page<HistoryPoint>> => get(`/v1/optimize/${id}/history`);

/** `onChange`: something stored has happened, so that the record has more to say. */
export function useCourse(id: string, isOver: boolean, onChange: () => void): Course {
  const [course, setCourse] = useState<Course>(EMPTY);
  const isAway = useSignal(connection) === 'away';

  useEffect(() => {
    if (isAway) return;
    let isGone = false;
    const takeHistory = (): void => {
      historyOf(id).then(
        ({ data }) => !isGone && setCourse((before) => ({ ...before, points: data })),
        () => {},
      );
    };
    takeHistory();
    const stream = new EventSource(`/v1/optimize/${id}/events`);
    const noteProgress = ({ data }: MessageEvent<string>): void => {
      const progress = JSON.parse(data) as Progress;
      setCourse((before) => {
        const last = before.points.at(-1);
        if (last !== undefined && progress.evaluations <= last.evaluations) return before;
        const { evaluations, best_fitness, hypervolume, elapsed_seconds } = progress;
        return { ...before, points: [...before.points, { evaluations, best_fitness, hypervolume, elapsed_seconds }] };
      });
    };
    const noteStored = ({ data }: MessageEvent<string>): void => {
      const event = JSON.parse(data) as { id: string; type: string; created_at: string; data: Record<string, unknown> };
      setCourse((before) =>
        before.happenings.some((one) => one.id === event.id)
          ? before
          : {
              ...before,
              happenings: [
                ...before.happenings,
                { id: event.id, type: event.type, at: event.created_at, data: event.data },
              ],
            },
      );
      onChange();
    };
    stream.onerror = () => void probe();
    stream.addEventListener('progress', noteProgress);
    for (const name of STORED) {
      stream.addEventListener(name, (event) => {
        noteStored(event);
        if (!ENDS.includes(name)) return;
        stream.close();
        takeHistory();
      });
    }
    return () => {
      isGone = true;
      stream.close();
    };
    // A run that is over has told all; one that was not is listened to again when the service is back.
  }, [id, isAway, isOver]);
  return course;
}
