/**
 * Reads what `nvdisasm -c -gi` prints of a kernel that was compiled with --generate-line-info: every instruction with
 * the line of the kernel's text that it was made for, and the lines where that one was inlined.
 */

const LINE = /"([^"]*)", line (\d+)/;
/** A line of another file than the kernel's text. */
const ELSEWHERE = -1;
const INSTRUCTION = /^\s+\/\*[0-9a-f]{4,}\*\/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)\s*([^;]*);/;
const LABEL = /^([\w$.]+):\s*$/;

/**
 * `lines`: innermost first; empty where the compiler names none. `place`: the function in the machine code. `isInLoop`:
 * a later instruction jumps to before it.
 * @returns {{ op: string, operands: string, lines: number[], place: string, isInLoop: boolean }[]}
 */
export function instructionsOf(disassembly) {
  const found = [];
  const labels = new Map();
  let lines = [];
  let isAnnotation = false;
  let place = '';
  for (const line of disassembly.split('\n')) {
    if (line.includes('//## File')) {
      // A row of annotations is one chain: each line, then where that was inlined.
      if (!isAnnotation) lines = [];
      const [, file, number] = LINE.exec(line);
      lines.push(file.endsWith('kernel.cu') ? Number(number) : ELSEWHERE);
      isAnnotation = true;
      continue;
    }
    isAnnotation = false;
    const label = LABEL.exec(line)?.[1];
    if (label?.startsWith('.L')) labels.set(label, found.length);
    if (label !== undefined && !label.startsWith('.')) {
      place = label;
      lines = [];
    }
    const [, op, operands] = INSTRUCTION.exec(line) ?? [];
    if (op === undefined || op === 'NOP') continue;
    found.push({ op, operands, lines, place, isInLoop: false });
    const target = op === 'BRA' ? labels.get(/`\((\.L\w+)\)/.exec(operands)?.[1]) : undefined;
    if (target !== undefined) for (let k = target; k < found.length; k++) found[k].isInLoop = true;
  }
  return found;
}

/** HFMA2 is none: the compiler loads constants by it. */
const isFused = ({ op }) => /^[DF]FMA/.test(op);
/** Of NVIDIA: the long way of a division or a square root, for operands out of the ordinary. */
const isNvidias = ({ place }) => place.startsWith('$__internal_');
/** Functions of the text that a GPU has no instruction for. */
const EXPANDED = /^static __device__ __forceinline__ (?:double|float) (?:divide|square_root|quotient)\(/;
/**
 * Fused operations that no division or square root of the text explains, one line each; none: nothing is contracted.
 */
export function contractions(text, instructions) {
  const source = text.split('\n');
  const isExplained = ({ lines: [line] }) => EXPANDED.test(source[line - 1] ?? '');
  return instructions
    .filter((each) => isFused(each) && !isNvidias(each) && !isExplained(each))
    .map(({ op, lines: [line] }) => `${op} for line ${line ?? 'unknown'}: ${source[line - 1] ?? ''}`);
}

/** The text of a kernel in double precision that flags no lane. */
export const withoutChecks = (text) => text.replace(/^if \(v\d+\) return Flag\{.*\};$/gm, '');

/**
 * How often each line of a kernel's text runs for one candidate: the product of the counts of the loops around it. Of a
 * count that depends on another loop the mean is taken. Both sides of an objective's branches count. In functions of
 * mathematics an `if` guards arguments out of the ordinary, and in the kernel itself lanes that are flagged: these
 * count as never taken.
 */
function weightsOf(text) {
  const weights = [0];
  let isUncounted = false;
  let rare = false;
  const open = [];
  const means = new Map();
  const weight = () => open.reduce((product, factor) => product * factor, 1);
  for (const line of text.split('\n')) {
    if (/^(?:static|extern)/.test(line)) rare = /^extern|double math_/.test(line);
    if (line.startsWith('}')) open.pop();
    weights.push(weight());
    if (!line.endsWith('{')) continue;
    const loop = /^for \(int (v\d+) = 0, c\d+ = ([^;]+);/.exec(line);
    if (loop !== null) {
      const count = valueOf(loop[2], means);
      means.set(loop[1], (count - 1) / 2);
      open.push(count);
    } else if (line.startsWith('for (')) {
      isUncounted = true;
      open.push(1);
    } else {
      open.push(rare && line.startsWith('if (') ? 0 : 1);
    }
  }
  return { weights, isUncounted };
}

/** Of a sum of whole numbers and of multiples of indices. */
function valueOf(form, means) {
  return form.split(' + ').reduce((sum, term) => {
    const [, scale, index] = /^(?:(-?\d+) \* )?(v\d+)$/.exec(term) ?? [];
    const value = index === undefined ? Number(term) : Number(scale ?? 1) * means.get(index);
    if (Number.isNaN(value)) throw new Error(`no count: ${form}`);
    return sum + value;
  }, 0);
}

/** Rates of a multiprocessor differ by these. */
function pipeOf(op) {
  if (/^D(ADD|MUL|FMA|SETP|MNMX)/.test(op)) return 'double';
  if (/^F(ADD|MUL|FMA)/.test(op)) return 'single';
  if (/^(MUFU|I2F|F2I|F2F|FRND|I2I)/.test(op)) return 'special';
  if (/^(LD|ST)/.test(op)) return 'memory';
  return 'integer';
}

/**
 * Instructions that one candidate executes on the ordinary way, by pipe, and of them the fused ones in double
 * precision. `is_lower_bound`: a loop has no count that is known beforehand, and counts once.
 */
export function executedOf(text, instructions) {
  const { weights, isUncounted } = weightsOf(text);
  const own = ({ lines }) => lines.reduce((product, line) => product * (weights[line] ?? 1), 1);
  return { ...executedBy('evaluate', instructions, own), is_lower_bound: isUncounted };
}

/** The same for any kernel; `own`: how often an instruction runs in one call of the function that holds it. */
export function executedBy(kernel, instructions, own) {
  // Functions that are not inlined run as often as they are called.
  const calls = new Map();
  for (const each of instructions) {
    const callee = each.op.startsWith('CALL') ? /`\(([^)]+)\)/.exec(each.operands)?.[1] : undefined;
    if (callee !== undefined) calls.set(callee, [...(calls.get(callee) ?? []), each]);
  }
  const known = new Map([[kernel, 1]]);
  const times = (place) => {
    if (place.startsWith('$__internal_')) return 0;
    if (!known.has(place)) {
      known.set(place, 0);
      const sum = (calls.get(place) ?? []).reduce((total, call) => total + own(call) * times(call.place), 0);
      known.set(place, sum);
    }
    return known.get(place);
  };
  const executed = { double: 0, single: 0, special: 0, memory: 0, integer: 0 };
  let fused = 0;
  for (const each of instructions) {
    const runs = own(each) * times(each.place);
    executed[pipeOf(each.op)] += runs;
    if (each.op.startsWith('DFMA')) fused += runs;
  }
  const rounded = Object.fromEntries(Object.entries(executed).map(([pipe, runs]) => [pipe, Math.round(runs)]));
  return { ...rounded, double_fused: Math.round(fused) };
}
