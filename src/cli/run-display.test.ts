import { EventEmitter } from 'node:events';
import { NO_USAGE } from '../model/run-usage.js';
import { describe, expect, it } from 'vitest';
import type { RunReport } from '../runs/worker-protocol.js';
import { axisEnd } from './curve.js';
import { createRunDisplay } from './run-display.js';
import { showsUnicode, takesEscapes } from './terminal.js';

const report = (evaluations: number, elapsedSeconds: number, bestFitness: number | null): RunReport => ({
  progress: { evaluations, elapsedSeconds, bestFitness, bestSolution: bestFitness === null ? null : [0] },
  history:
    bestFitness === null
      ? []
      : [
          { evaluations: 1, bestFitness: 100, elapsedSeconds: 0 },
          { evaluations, bestFitness, elapsedSeconds },
        ],
  begun: { strategy: 'planner', backend: 'native' },
  changes: [],
  usage: NO_USAGE,
});

class Screen extends EventEmitter {
  readonly isTTY = true;
  columns = 100;
  rows = 30;
  text = '';
  write(part: string): boolean {
    this.text += part;
    return true;
  }
  /** The latest frame. */
  get frame(): string[] {
    return this.text.slice(this.text.lastIndexOf('\x1b[J') + 3).split('\n');
  }
}

const settings = { task: { maxEvaluations: 10_000 }, isResumed: false, withCurve: true, env: {}, now: () => 0 };

describe('what a terminal shows of a run', () => {
  it('is a bar with the best value, the pace and the time left, and the curve below', () => {
    const screen = new Screen();
    const display = createRunDisplay(screen as never, settings);
    display.report(report(2_500, 2, 0.0123456));
    expect(screen.frame[0]).toBe(
      '[#####---------------] 2,500/10,000  best 0.01235  1,250/s  6 s left  planner on native',
    );
    expect(screen.frame).toHaveLength(15);
    display.close();
    expect(screen.frame).toEqual(['']);
  });

  it('fits the window also after it was resized', () => {
    const screen = new Screen();
    const display = createRunDisplay(screen as never, settings);
    display.report(report(5_000, 1, 1));
    screen.columns = 42;
    screen.rows = 12;
    screen.emit('resize');
    expect(screen.frame).toHaveLength(1 + 8);
    const shown = screen.frame.map((line) => line.split('\x1b')[0].length);
    expect(Math.max(...shown)).toBeLessThan(42);
    display.close();
    expect(screen.listenerCount('resize')).toBe(0);
  });

  it('has the best value in narrow windows, too', () => {
    const screen = new Screen();
    const display = createRunDisplay(screen as never, { ...settings, task: { maxEvaluations: 100_000_000 } });
    display.report(report(1_950_898, 7, 0.0123456));
    for (const [columns, line] of [
      [105, '[---------------------] 1,950,898/100,000,000  best 0.01235  278,700/s  6 min left  planner on native'],
      [90, '[------------------] 1,950,898/100,000,000  best 0.01235  278,700/s  6 min left'],
      [60, '1,950,898/100,000,000  best 0.01235  278,700/s  6 min left'],
      [40, 'best 0.01235  278,700/s  6 min left'],
      [30, 'best 0.01235  6 min left'],
      [12, 'best 0.0123'],
    ] as const) {
      screen.columns = columns;
      screen.emit('resize');
      expect(screen.frame[0].split(/[\x1b\r]/)[0]).toBe(line);
    }
    display.hide();
    expect(screen.frame).toEqual(['']);
  });

  it('draws what there is of a run that has far to go over the width', () => {
    expect(axisEnd(1_950_898, 100_000_000)).toBe(3_125_000);
    expect(axisEnd(600, 1000)).toBe(1000);
    expect(axisEnd(0, 7)).toBe(2);
    expect(axisEnd(2000, 1000)).toBe(1000);
  });

  it('has no pace before the second report of a run that was resumed', () => {
    const screen = new Screen();
    const display = createRunDisplay(screen as never, { ...settings, isResumed: true });
    display.report(report(5_000, 100, null));
    expect(screen.frame[0]).toContain(' 5,000/10,000  best none yet  planner on native');
    display.report(report(6_000, 102, 3));
    expect(screen.frame[0]).toContain('  500/s  8 s left  ');
  });

  it('is a line now and then where escape sequences are not welcome, and nothing in a pipe', () => {
    const screen = new Screen();
    let time = 0;
    const display = createRunDisplay(screen as never, { ...settings, env: { TERM: 'dumb' }, now: () => time });
    display.report(report(10, 1, 5));
    time = 10_000;
    display.report(report(100, 10, 4));
    expect(screen.text).toBe('100/10,000  best 4  10/s  17 min left  planner on native\n');
    const pipe = Object.assign(new Screen(), { isTTY: false });
    createRunDisplay(pipe as never, settings).report(report(100, 10, 4));
    expect(pipe.text).toBe('');
  });
});

describe('what a terminal can show', () => {
  const stream = { isTTY: true, write: () => true };
  it('takes escape sequences unless it is dumb, or colour is not wanted', () => {
    expect(takesEscapes(stream, { TERM: 'xterm' })).toBe(true);
    expect(takesEscapes(stream, { NO_COLOR: '' })).toBe(true);
    expect(takesEscapes(stream, { NO_COLOR: '1' })).toBe(false);
    expect(takesEscapes(stream, { TERM: 'dumb' })).toBe(false);
    expect(takesEscapes({ ...stream, isTTY: false }, { TERM: 'xterm' })).toBe(false);
  });

  it('shows Unicode unless its locale has none', () => {
    expect(showsUnicode({})).toBe(true);
    expect(showsUnicode({ LANG: 'de_DE.UTF-8' })).toBe(true);
    expect(showsUnicode({ LANG: 'de_DE.UTF-8', LC_ALL: 'C' })).toBe(false);
    expect(showsUnicode({ TERM: 'linux', LANG: 'C.UTF-8' })).toBe(false);
  });
});
