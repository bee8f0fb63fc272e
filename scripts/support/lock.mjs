import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** No set-up takes this long; an older lock is a relic whose process id somebody else has by now. */
const RELIC_MS = 30 * 60_000;

/**
 * Runs `work` while no other process holds the lock `file`, which carries its holder's process id. A lock whose holder
 * is gone is taken over. `onWait` is called once when it has to wait.
 */
export async function withLock(file, work, onWait = () => {}) {
  mkdirSync(path.dirname(file), { recursive: true });
  let waited = false;
  while (!tryTake(file)) {
    if (!waited) onWait();
    waited = true;
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryTake(file) {
  if (link(file)) return true;
  if (!isRelic(file)) return false;
  remove(file);
  return link(file);
}

/** A link appears with its content at once, which a created file does not: nobody ever reads an empty lock. */
function link(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function isRelic(file) {
  try {
    if (Date.now() - statSync(file).mtimeMs > RELIC_MS) return true;
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Another waiter may have removed the relic and taken the lock since: then what was moved away is put back. */
function remove(file) {
  const moved = `${file}.relic.${process.pid}`;
  try {
    renameSync(file, moved);
    if (!isRelic(moved)) linkSync(moved, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
  rmSync(moved, { force: true });
}
