/** Our functions as text that gpu.js translates, for modes whose own are too coarse. */
import { LANE_FUNCTIONS } from '../single-precision/lanes.js';
import { ownFunction } from '../single-precision/own-functions.js';
import { TextLanes } from '../single-precision/text-lanes.js';
import { ALL_THERE, GpujsDialect, INFINITY, ownName } from './dialect.js';

/** A function beside a kernel: numbers in, a number out. */
export interface TextFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly source: string;
}

/** The text of a function of `parameters` that returns `result`. */
export function textFunction(
  name: string,
  parameters: readonly string[],
  body: readonly string[],
  result: string,
): TextFunction {
  const source = [`function ${name}(${parameters.join(', ')}) {`, ...body, `return ${result};`, '}'].join('\n');
  return { name, parameters, source };
}

const OWN: readonly TextFunction[] = LANE_FUNCTIONS.map((name) => {
  const lanes = new TextLanes(new GpujsDialect(ALL_THERE));
  const result = ownFunction(lanes, name, 'a');
  return textFunction(ownName(name), ['a', INFINITY], lanes.body(result), result);
});

/** Those that `text` calls. */
export const ownFunctionsIn = (text: string): readonly TextFunction[] =>
  OWN.filter(({ name }) => text.includes(`${name}(`));
