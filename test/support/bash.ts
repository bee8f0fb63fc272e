/** Walks with curl that documents print. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

export const hasCurl = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .some((folder) => existsSync(path.join(folder, 'curl')));

/** Runs a bash script in `cwd`; stops at the first command that fails. */
export function bash(script: string, cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (output += data.toString()));
    child.on('close', (code) => resolve({ code, output }));
  });
}
