/** Programs of ours, run to their end as processes of their own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { distEntry } from '../../src/common/dist-entry.js';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with all that was written so far, each time that something was. */
  readonly onOutput?: (output: string, child: ChildProcess) => void;
}

/** The end of a child, and what it wrote. */
export function outcomeOf(child: ChildProcess, onOutput?: RunSettings['onOutput']): Promise<Outcome> {
  let [stdout, stderr] = ['', ''];
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      stdout += part;
      onOutput?.(stdout, child);
    });
    child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** `extremum ...args`. */
export function extremum(args: readonly string[], { env = {}, cwd, onOutput }: RunSettings = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [distEntry('cli/main'), ...args], { env, cwd });
  return outcomeOf(child, onOutput);
}
