/** Other solvers, in a Python process of their own. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** `script` answers each line with one; `defaults` go into every task. */
export function openPeers(python, script, defaults = {}) {
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(task) {
      child.stdin.write(`${JSON.stringify({ ...defaults, ...task })}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the peers ended at ${JSON.stringify(task)}`);
      return JSON.parse(value);
    },
    close: () => child.stdin.end(),
  };
}
