/**
 * `--name value`, `--name=value` and `--switch` on a command line. Values may begin with a dash, as negative numbers
 * do.
 */
import { nearMatch } from '../common/near-match.js';
import { ConfigError } from '../config.js';

export interface Flags {
  /** Arguments that are not flags. */
  readonly positionals: readonly string[];
  readonly switches: ReadonlySet<string>;
  value(name: string): string | undefined;
  /** Of a flag that may be given again. */
  list(name: string): readonly string[];
}

/** @throws {ConfigError} for a flag that is in no list, is given twice, or lacks its value. */
export function parseFlags(
  argv: readonly string[],
  values: readonly string[],
  switches: readonly string[],
  lists: readonly string[] = [],
): Flags {
  const positionals: string[] = [];
  const found = new Map<string, string>();
  const on = new Set<string>();
  const listed = new Map<string, string[]>();
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? '';
    if (!argument.startsWith('--')) {
      positionals.push(argument);
      continue;
    }
    const [flag = '', inline] = argument.split(/=(.*)/s, 2);
    const name = flag.slice(2);
    if (found.has(name) || on.has(name)) throw new ConfigError(`${flag} is given twice.`);
    if (switches.includes(name)) {
      if (inline !== undefined) throw new ConfigError(`${flag} takes no value.`);
      on.add(name);
    } else if (values.includes(name) || lists.includes(name)) {
      const value = inline ?? argv[++i];
      if (value === undefined || value.trim() === '' || value.startsWith('--')) {
        throw new ConfigError(`${flag} needs a value.`);
      }
      if (lists.includes(name)) listed.set(name, [...(listed.get(name) ?? []), value]);
      else found.set(name, value);
    } else {
      const known = [...values, ...lists, ...switches].map((own) => `--${own}`);
      const meant = nearMatch(flag, known);
      const advice = meant === null ? `known: ${known.join(', ')}.` : `did you mean ${meant}?`;
      throw new ConfigError(`Unknown argument ${JSON.stringify(flag)}; ${advice}`);
    }
  }
  return { positionals, switches: on, value: (name) => found.get(name), list: (name) => listed.get(name) ?? [] };
}
