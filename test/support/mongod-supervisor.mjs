/**
 * Runs one mongod for a test that kills and restarts it, and ends with whoever started it: when standard input closes,
 * however that came about, mongod is killed and its folder removed. `node mongod-supervisor.mjs MONGOD FOLDER [args]`.
 *
 * Commands, one a line: `start`, `kill` (SIGKILL), `pause`, `resume`. Answers: `ready PORT`, `ended`.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [binary, folder, ...more] = process.argv.slice(2);
/** The first start takes a free port, later ones the same: it is in the replica set's configuration. */
let port = 0;
let child = null;

function start() {
  const place = ['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', folder, '--nounixsocket'];
  const started = spawn(binary, [...place, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
  child = started;
  createInterface({ input: started.stdout }).on('line', (line) => {
    const found = /"Waiting for connections","attr":\{"port":(\d+)/.exec(line);
    if (found === null) return;
    port = Number(found[1]);
    console.log(`ready ${port}`);
  });
  started.on('exit', () => {
    child = null;
    console.log('ended');
  });
}

const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  if (line === 'start') start();
  else if (line === 'kill') child?.kill('SIGKILL');
  else if (line === 'pause') child?.kill('SIGSTOP');
  else if (line === 'resume') child?.kill('SIGCONT');
});
input.on('close', () => {
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  };
  if (child === null) remove();
  child.once('exit', remove);
  child.kill('SIGKILL');
});
// Ctrl-C goes to the whole group: the end of the one who started this decides.
process.on('SIGINT', () => {});
process.stdout.on('error', () => {});
