/**
 * The text form of the IR, for golden files, logs and bug reports. `parser.ts` reads it back; grammar there.
 */
import { isAngleOp, OPS } from './ops.js';
import type { IndexForm, IrArray, IrFunction, IrNode, LaneStatus, Region, ValueId } from './types.js';
import { LaneStatus as STATUS } from './types.js';

const STATUS_NAMES = new Map<number, string>(Object.entries(STATUS).map(([name, code]) => [code, name]));

/** `parseIr(printIr(fn))` equals `fn`. */
export function printIr(fn: IrFunction): string {
  const lines = [`function ${JSON.stringify(fn.name)} dimension ${fn.dimension} {`];
  fn.arrays.forEach((array, k) => lines.push(`  array a${k} ${printArray(array)}`));
  printRegion(fn.body, '  ', lines);
  lines.push('}');
  return lines.join('\n') + '\n';
}

function statusName(status: LaneStatus): string {
  return STATUS_NAMES.get(status) ?? String(status);
}

/** Shortest decimal that reads back to the same bits. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

const list = (ids: readonly ValueId[]): string => ids.map((id) => `v${id}`).join(', ');
const define = (ids: readonly ValueId[]): string => (ids.length === 0 ? '' : `${list(ids)} = `);
const yieldLine = (ids: readonly ValueId[]): string => (ids.length === 0 ? 'yield' : `yield ${list(ids)}`);

function printArray(array: IrArray): string {
  switch (array.kind) {
    case 'candidate':
      return 'candidate';
    case 'table':
      return `table (${Array.from(array.values, formatNumber).join(', ')})`;
    case 'local':
      return `${array.isOutput === true ? 'output' : 'local'} ${array.length}`;
  }
}

const form = ({ offset, terms }: IndexForm): string =>
  `[${[String(offset), ...terms.map((t) => `${t.scale}*v${t.index}`)].join(' ')}]`;

function printRegion(region: Region, indent: string, lines: string[]): void {
  for (const node of region.body) printNode(node, indent, lines);
  lines.push(indent + yieldLine(region.yields));
}

function printNode(node: IrNode, indent: string, lines: string[]): void {
  switch (node.kind) {
    case 'op': {
      const parts: string[] = [node.op];
      if (node.args.length > 0) parts.push(list(node.args));
      if (node.op === 'const') parts.push(formatNumber(node.imm));
      else if (node.op === 'bconst') parts.push(node.imm === 1 ? 'true' : 'false');
      else if (node.op === 'x') parts.push(String(node.imm));
      else if (node.op === 'check') parts.push(statusName(node.imm as LaneStatus));
      else if (node.op === 'load' || node.op === 'store') parts.push(`a${node.imm}`);
      else if (isAngleOp(node.op) && node.imm === 1) parts.push('quick');
      if (node.at !== undefined) parts.push(form(node.at));
      if (node.line !== 0) parts.push(`line ${node.line}`);
      lines.push(indent + (OPS[node.op].result === 'none' ? '' : `v${node.result} = `) + parts.join(' '));
      return;
    }
    case 'if':
      lines.push(`${indent}${define(node.results)}if v${node.condition} {`);
      printRegion(node.then, indent + '  ', lines);
      lines.push(`${indent}} else {`);
      printRegion(node.otherwise, indent + '  ', lines);
      lines.push(`${indent}}`);
      return;
    case 'loop': {
      const params = node.params.map((id, k) => `v${id} = v${node.initial[k]}`).join(', ');
      const line = node.line === 0 ? '' : ` line ${node.line}`;
      lines.push(`${indent}${define(node.results)}loop (${params}) fuel ${node.fuel}${line} {`);
      printRegion(node.body, indent + '  ', lines);
      lines.push(`${indent}}`);
      return;
    }
    case 'for': {
      const params = node.params.map((id, k) => `v${id} = v${node.initial[k]}`).join(', ');
      lines.push(`${indent}${define(node.results)}for v${node.index} ${form(node.count)} (${params}) {`);
      printRegion(node.body, indent + '  ', lines);
      lines.push(`${indent}}`);
      return;
    }
  }
}
