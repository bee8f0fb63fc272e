/**
 * Random Python objectives with a known minimum: what a certificate must not contradict. Each is an increasing function
 * of a sum of terms that are nowhere below zero and all zero at one point, the planted one; the text hides neither, so
 * it is no test of a search.
 */
import { Rng } from '../common/rng.js';

interface PlantedObjective {
  readonly code: string;
  readonly bounds: readonly (readonly [number, number])[];
  /** No candidate has a lower value, but for rounding. */
  readonly minimizer: readonly number[];
}

export function plantedObjective(seed: number): PlantedObjective {
  return new Planter(Rng.create(seed).split('planted')).objective();
}

class Planter {
  constructor(private readonly rng: Rng) {}

  objective(): PlantedObjective {
    const n = 1 + this.rng.below(3);
    const minimizer = Array.from({ length: n }, () => this.number(-4, 4));
    const bounds = minimizer.map((at): [number, number] => {
      const low = this.rng.uniform() < 0.15 ? at : at - this.number(0.1, 6);
      return [low, low === at || this.rng.uniform() < 0.9 ? at + this.number(0.1, 6) : at];
    });
    const code = this.rng.uniform() < 0.3 ? this.arrayProgram(minimizer) : this.scalarProgram(minimizer);
    return { code, bounds, minimizer };
  }

  private scalarProgram(minimizer: readonly number[]): string {
    const n = minimizer.length;
    const lines = minimizer.map((at, i) => `    u${i} = x[${i}] - (${at})`);
    lines.push(`    total = 0.0`);
    const terms = 1 + this.rng.below(4);
    for (let k = 0; k < terms; k++) lines.push(`    z = ${this.zero(n)}`, ...this.term());
    if (this.rng.uniform() < 0.3) {
      lines.push(`    for i in range(${n}):`, `        total += ${this.number(0.1, 2)} * (x[i] - CENTRE[i]) ** 2`);
    }
    return [
      'import math',
      '',
      `CENTRE = [${minimizer.join(', ')}]`,
      '',
      '',
      'def bend(z, width):',
      '    if abs(z) <= width:',
      '        return 0.5 * z * z',
      '    return width * (abs(z) - 0.5 * width)',
      '',
      '',
      'def f(x):',
      ...lines,
      `    return ${this.outer('math')}`,
      '',
    ].join('\n');
  }

  private arrayProgram(minimizer: readonly number[]): string {
    const n = minimizer.length;
    const row = (): string => `[${Array.from({ length: n }, () => this.number(-2, 2)).join(', ')}]`;
    const matrix = `[${Array.from({ length: n }, row).join(', ')}]`;
    const terms = [
      'np.sum(z ** 2)',
      'np.sum(np.abs(z))',
      'np.sum(1 - np.cos(3 * z))',
      'np.max(np.abs(z))',
      'np.sum(np.where(z > 0, z, -2 * z))',
      'np.sqrt(np.sum(z * z) + 1) - 1',
      'np.prod(1 + z ** 2) - 1',
      'np.sum(np.abs(z) ** 1.5)',
      'np.linalg.norm(z)',
      'np.sum(np.floor(np.abs(z)))',
    ];
    const lines = Array.from({ length: 1 + this.rng.below(3) }, () => {
      const z = this.rng.uniform() < 0.5 ? 'u' : this.rng.uniform() < 0.5 ? 'np.array(MATRIX) @ u' : 'np.sin(u)';
      return `    z = ${z}\n    total = total + ${this.number(0.1, 5)} * (${this.one(terms)})`;
    });
    return [
      'import numpy as np',
      '',
      `MATRIX = ${matrix}`,
      '',
      '',
      'def f(x):',
      `    u = np.asarray(x) - np.array([${minimizer.join(', ')}])`,
      '    total = 0.0',
      ...lines,
      `    return ${this.outer('np')}`,
      '',
    ].join('\n');
  }

  /** Zero where all `u` are. */
  private zero(n: number): string {
    const u = (): string => `u${this.rng.below(n)}`;
    const forms = [
      () => u(),
      () => `${this.number(-3, 3)} * ${u()} + ${this.number(-3, 3)} * ${u()}`,
      () => `${u()} * (1 + ${u()} ** 2)`,
      () => `math.sin(${this.number(0.5, 3)} * ${u()})`,
      () => `math.expm1(${this.number(-1, 1)} * ${u()})`,
      () => `math.atan(${u()}) + ${u()} * ${u()}`,
      () => `${u()} * x[0] - ${u()}`,
      () => `math.tanh(${u()}) * ${this.number(0.5, 4)}`,
    ];
    return this.one(forms)();
  }

  /** Adds a number that is not below zero, and zero where `z` is. */
  private term(): string[] {
    const w = this.number(0.1, 5);
    const a = this.number(0.5, 6);
    const forms: (() => string[])[] = [
      () => [`    total += ${w} * z ** 2`],
      () => [`    total += ${w} * abs(z)`],
      () => [`    total += ${w} * (1 - math.cos(${a} * z))`],
      () => [`    total += ${w} * math.log1p(z * z)`],
      () => [`    total += ${w} * (math.sqrt(1 + z * z) - 1)`],
      () => [`    total += ${w} * z ** 4`],
      () => [`    total += ${w} * max(0.0, z)`],
      () => [`    total += ${w} * math.floor(abs(z))`],
      () => [`    total += ${w} * (1 - math.exp(-z * z))`],
      () => [`    total += ${w} * z * z / (1 + z * z)`],
      () => [`    total += bend(z, ${a})`],
      () => ['    if z > 0:', `        total += ${w} * z`, '    else:', `        total += z * z - ${w} * z`],
      () => [`    for k in range(1, 4):`, `        total += ${w} * z * z / k`],
      () => [`    total += ${w} * (abs(z) % ${a}) ** 2`],
      () => [`    step = abs(z)`, `    while step > 1.0:`, `        step *= 0.5`, `    total += ${w} * step`],
    ];
    return this.one(forms)();
  }

  private outer(module: 'math' | 'np'): string {
    const c = this.number(-10, 10);
    const forms = [
      `total + (${c})`,
      'total',
      `${module}.sqrt(1 + total)`,
      `${module}.log(1 + total) + (${c})`,
      'total / (1 + total)',
      `${module}.exp(0.1 * total)`,
      `-1 / (1 + total)`,
    ];
    return this.one(forms);
  }

  private one<T>(choices: readonly T[]): T {
    return choices[this.rng.below(choices.length)];
  }

  /** Three digits. */
  private number(low: number, high: number): number {
    return Math.round((low + (high - low) * this.rng.uniform()) * 1000) / 1000;
  }
}
