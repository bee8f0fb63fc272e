/** Loaded into the service before anything else (`node --import`): tells its parent what it holds. */
import v8 from 'node:v8';
import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');
  process.on('message', async ({ snapshot }) => {
    for (let i = 0; i < 3; i++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { rss, heapUsed, external } = process.memoryUsage();
    if (snapshot !== undefined) v8.writeHeapSnapshot(snapshot);
    process.send({ rss, heapUsed, external });
  });
  // The channel alone does not keep the service alive.
  process.channel?.unref();
}
