/** `extremum domains`: business problems solved here and now, without a service. */
import { readFileSync, statSync } from 'node:fs';
import { ExtremumError } from '../common/errors.js';
import { nearMatch } from '../common/near-match.js';
import { ConfigError } from '../config.js';
import { isDomain, typeNamed } from '../domains/configs.js';
import type { ProblemType } from '../domains/problem-type.js';
import { PROBLEM_TYPES } from '../domains/registry.js';
import { DOMAINS } from '../model/problem.js';
import { parseFlags, type Flags } from './flags.js';
import { ExitCode } from './optimize.js';
import { solveHere, SOLVING_FLAGS, solvingOf } from './solve-here.js';
import { printable, printableLines } from './text-safety.js';

export const DOMAINS_USAGE = 'extremum domains list | example TYPE [MODEL] | solve FILE.json';

export const DOMAINS_HELP = `Usage: ${DOMAINS_USAGE}

Business problems, each solved by the method that proves its answer where there is one. No service, no database, no key.

  extremum domains list
      The problem types and their models.
  extremum domains example TYPE [MODEL]
      A problem that can be solved as it is, as JSON: change it, then solve it.
  extremum domains solve FILE.json [--seed N] [--max-evaluations N] [--mode fast|balanced|accurate] [--timeout SECONDS]
                                   [--pictures FOLDER] [--json]
      FILE.json holds {"domain": ..., "problem_type": ..., "config": {...}} as a request to the service does; - reads standard input.
      --pictures writes the pictures of the answer into the folder, as SVG. --json prints the whole answer for programs.

  extremum domains example inventory newsvendor > order.json
  extremum domains solve order.json --pictures pictures

Exit codes: 0 solved; 1 no solution, or not in time; 2 the problem or a flag is wrong; 130 interrupted.`;

const COMMANDS = ['list', 'example', 'solve'];
const MAX_FILE_BYTES = 64 * 1024 * 1024;

export async function domains(argv: readonly string[]): Promise<ExitCode> {
  const [command, ...rest] = argv;
  try {
    if (command === undefined || command === 'help' || argv.includes('--help') || argv.includes('-h')) {
      console.log(DOMAINS_HELP);
      return ExitCode.Done;
    }
    if (command === 'list') return list(parseFlags(rest, [], []));
    if (command === 'example') return example(parseFlags(rest, [], []));
    if (command === 'solve') {
      return await solve(parseFlags(rest, SOLVING_FLAGS, ['json']));
    }
    const meant = nearMatch(command, COMMANDS);
    const advice = meant === null ? `there are ${COMMANDS.join(', ')}` : `did you mean ${meant}?`;
    throw new ConfigError(`There is no command domains ${JSON.stringify(command)}; ${advice}.`);
  } catch (error) {
    const isTheirs =
      error instanceof ConfigError || (error instanceof ExtremumError && error.code === 'invalid_request');
    if (!isTheirs) throw error;
    console.error(printableLines(error.message));
    return ExitCode.Usage;
  }
}

function list({ positionals }: Flags): ExitCode {
  if (positionals.length > 0) throw new ConfigError('`extremum domains list` takes nothing more.');
  for (const domain of DOMAINS) {
    for (const type of PROBLEM_TYPES.filter((one) => one.domain === domain)) {
      console.log(`${domain}  ${type.name}: ${type.summary}`);
      const models = type.models.flatMap(({ name, summary }) => (name === null ? [] : [`    ${name}: ${summary}`]));
      if (models.length > 0) console.log(models.join('\n'));
    }
  }
  return ExitCode.Done;
}

/** By its name alone: no two domains have a type of one name. */
function typeOf(name: string): ProblemType {
  const found = PROBLEM_TYPES.find((type) => type.name === name || type.aliases.includes(name));
  if (found !== undefined) return found;
  const known = PROBLEM_TYPES.map((type) => type.name);
  const meant = nearMatch(name, known);
  const advice = meant === null ? `there are ${known.join(', ')}.` : `did you mean ${meant}?`;
  throw new ConfigError(`There is no problem type ${JSON.stringify(name)}; ${advice}`);
}

function example({ positionals }: Flags): ExitCode {
  const [name, modelName, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new ConfigError('Give a problem type, and a model where it has several.');
  const type = typeOf(name);
  const model = modelName === undefined ? type.models[0] : type.models.find((one) => one.name === modelName);
  if (model === undefined) {
    const known = type.models.flatMap((one) => (one.name === null ? [] : [one.name]));
    throw new ConfigError(
      `${type.name} has no model ${JSON.stringify(modelName)}; it has ${known.join(', ') || 'none'}.`,
    );
  }
  console.log(JSON.stringify({ domain: type.domain, problem_type: type.name, config: model.example }, null, 2));
  return ExitCode.Done;
}

/** @throws {ConfigError} */
function readProblem(file: string): { readonly type: ProblemType; readonly config: unknown } {
  let text: string;
  try {
    if (file !== '-' && statSync(file).size > MAX_FILE_BYTES) {
      throw new ConfigError(`${printable(file)} is larger than ${MAX_FILE_BYTES / 1024 ** 2} MiB.`);
    }
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${printable(file)} cannot be read: ${(error as Error).message}.`);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${printable(file)} holds no JSON: ${(error as Error).message}.`);
  }
  const { domain, problem_type: name, config } = (parsed ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string')
    throw new ConfigError('The file must have "problem_type"; `extremum domains list` shows them.');
  if (domain === undefined) return { type: typeOf(name), config };
  if (typeof domain !== 'string' || !isDomain(domain)) {
    throw new ConfigError(`"domain" must be one of ${DOMAINS.join(', ')}, not ${JSON.stringify(domain)}.`);
  }
  return { type: typeNamed(domain, name), config };
}

async function solve(flags: Flags): Promise<ExitCode> {
  const [file, ...more] = flags.positionals;
  if (file === undefined || more.length > 0)
    throw new ConfigError('Give one file with a problem, or - for standard input.');
  const asked = solvingOf(flags);
  const { type, config } = readProblem(file);
  return solveHere(type, config, asked);
}
