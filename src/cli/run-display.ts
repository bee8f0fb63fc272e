/** A run while it is under way, on standard error: a bar, the best value, the pace, and its curve. */
import type { HistoryPoint, RunProgress, RunTask } from '../model/run-task.js';
import type { RunReport } from '../runs/worker-protocol.js';
import { axisEnd, curveTitle, drawCurve, shortNumber } from './curve.js';
import { barText, durationText } from './progress-bar.js';
import { LiveRegion, showsUnicode, sizeOf, takesEscapes, type Environment, type TerminalStream } from './terminal.js';

/** The pace is that of the latest evaluations. */
const PACE_WINDOW_SECONDS = 10;
/** Interval on a terminal without escape sequences. */
const PLAIN_INTERVAL_MS = 10_000;
const MAX_BAR = 30;
const MAX_CURVE_ROWS = 14;
const MAX_CURVE_COLUMNS = 120;

export interface RunDisplay {
  report(report: RunReport): void;
  /** Beside the pace, from now on. */
  say(message: string): void;
  /** Removes what is shown, until there is something new. */
  hide(): void;
  /** Removes what is shown and looks at the terminal no more. */
  close(): void;
}

type ResizableStream = TerminalStream & Partial<Pick<NodeJS.WriteStream, 'on' | 'off'>>;

interface DisplaySettings {
  readonly task: Pick<RunTask, 'maxEvaluations' | 'objectives'>;
  /** Began before: where, the first report tells. */
  readonly isResumed: boolean;
  readonly withCurve: boolean;
  readonly env: Environment;
  readonly now: () => number;
}

export function createRunDisplay(stream: ResizableStream, settings: DisplaySettings): RunDisplay {
  if (!stream.isTTY) return { report: () => {}, say: () => {}, hide: () => {}, close: () => {} };
  return takesEscapes(stream, settings.env) ? new LiveDisplay(stream, settings) : new PlainDisplay(stream, settings);
}

/** Evaluations a second of late, by the run's own time. */
class Pace {
  private readonly marks: Pick<RunProgress, 'evaluations' | 'elapsedSeconds'>[];

  constructor(isResumed: boolean) {
    this.marks = isResumed ? [] : [{ evaluations: 0, elapsedSeconds: 0 }];
  }

  add(progress: RunProgress): void {
    this.marks.push(progress);
    while (this.marks.length > 2 && progress.elapsedSeconds - this.marks[0].elapsedSeconds > PACE_WINDOW_SECONDS) {
      this.marks.shift();
    }
  }

  /** Null before there is any. */
  get perSecond(): number | null {
    const [first, last] = [this.marks[0], this.marks.at(-1)];
    if (first === undefined || last === undefined) return null;
    const seconds = last.elapsedSeconds - first.elapsedSeconds;
    return seconds > 0 ? (last.evaluations - first.evaluations) / seconds : null;
  }
}

const countText = (count: number): string => Math.round(count).toLocaleString('en-US');

interface StatusParts {
  /** `1,200/10,000`. */
  readonly done: string;
  readonly best: string;
  readonly pace: string;
  readonly left: string;
  readonly who: string;
}

function statusParts({ progress, begun }: RunReport, total: number, pace: number | null): StatusParts {
  const { evaluations, bestFitness, hypervolume } = progress;
  const left = pace === null || pace <= 0 ? null : durationText(((total - evaluations) / pace) * 1000);
  const digits = pace !== null && pace < 10 ? pace.toFixed(1) : countText(pace ?? 0);
  return {
    done: `${countText(evaluations)}/${countText(total)}`,
    best:
      hypervolume === undefined
        ? `best ${bestFitness === null ? 'none yet' : shortNumber(bestFitness)}`
        : `hypervolume ${shortNumber(hypervolume)}`,
    pace: pace === null ? '' : `${digits}/s`,
    left: left === null ? '' : `${left} left`,
    who: `${begun.strategy} on ${begun.backend}`,
  };
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('  ');

/** `1,200/10,000  best 0.0123  3,200/s  3 s left  cma-es on native`. */
const statusText = ({ done, best, pace, left, who }: StatusParts): string => joined(done, best, pace, left, who);

/** The longest line that fits. The part that people wait for the longest, the best value, is dropped last. */
function statusLine(bar: string, message: string, parts: StatusParts | null, columns: number): string {
  if (parts === null) return `${bar} ${message}`;
  const { done, best, pace, left } = parts;
  const lines = [
    `${bar} ${joined(message, statusText(parts))}`,
    `${bar} ${joined(message, done, best, pace, left)}`,
    joined(message, done, best, pace, left),
    joined(message, best, pace, left),
    joined(message, best, left),
  ];
  return lines.find((line) => line.length < columns) ?? joined(best, message);
}

class LiveDisplay implements RunDisplay {
  private readonly region: LiveRegion;
  private readonly pace: Pace;
  private readonly redraw = (): void => this.draw();
  private last: RunReport | null = null;
  private history: readonly HistoryPoint[] = [];
  private message: string | null = 'starting';

  constructor(
    private readonly stream: ResizableStream,
    private readonly settings: DisplaySettings,
  ) {
    this.region = new LiveRegion(stream);
    this.pace = new Pace(settings.isResumed);
    stream.on?.('resize', this.redraw);
    this.draw();
  }

  report(report: RunReport): void {
    if (this.last === null && this.message === 'starting') this.message = null;
    this.last = report;
    this.history = report.history ?? this.history;
    this.pace.add(report.progress);
    this.draw();
  }

  say(message: string): void {
    this.message = message;
    this.draw();
  }

  hide(): void {
    this.region.clear();
  }

  close(): void {
    this.stream.off?.('resize', this.redraw);
    this.hide();
  }

  private draw(): void {
    const { maxEvaluations } = this.settings.task;
    const evaluations = this.last?.progress.evaluations ?? 0;
    const { columns } = sizeOf(this.stream);
    const status = this.last === null ? null : statusParts(this.last, maxEvaluations, this.pace.perSecond);
    const bar = barText(evaluations, maxEvaluations, Math.min(MAX_BAR, Math.floor(columns / 5)));
    this.region.draw([statusLine(bar, this.message ?? '', status, columns), ...this.curve(evaluations)]);
  }

  private curve(evaluations: number): string[] {
    const { columns, rows } = sizeOf(this.stream);
    const last = this.history.at(-1);
    if (!this.settings.withCurve || last === undefined) return [];
    return drawCurve([...this.history, { ...last, evaluations }], {
      columns: Math.min(MAX_CURVE_COLUMNS, columns - 1),
      // Something of what was there before stays in sight.
      rows: Math.min(MAX_CURVE_ROWS, rows - 4),
      maxEvaluations: axisEnd(evaluations, this.settings.task.maxEvaluations),
      what: curveTitle(this.settings.task),
      unicode: showsUnicode(this.settings.env),
    });
  }
}

/** A line now and then. */
class PlainDisplay implements RunDisplay {
  private readonly pace: Pace;
  private shownAt: number;

  constructor(
    private readonly stream: TerminalStream,
    private readonly settings: DisplaySettings,
  ) {
    this.shownAt = settings.now();
    this.pace = new Pace(settings.isResumed);
  }

  report(report: RunReport): void {
    const { now, task } = this.settings;
    this.pace.add(report.progress);
    if (now() - this.shownAt < PLAIN_INTERVAL_MS) return;
    this.shownAt = now();
    this.stream.write(`${statusText(statusParts(report, task.maxEvaluations, this.pace.perSecond))}\n`);
  }

  say(message: string): void {
    this.stream.write(`${message}\n`);
  }

  hide(): void {}

  close(): void {}
}
