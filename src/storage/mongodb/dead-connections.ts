/**
 * Ends commands that wait for a connection which has ended.
 *
 * Before the driver (7.9) reads an answer it waits until the socket has taken the command. It does not hear that the
 * socket was closed meanwhile: the command waits for ever, and its connection never comes back to the pool. So it
 * happens to a large write whose server takes no more, and to any command that meets a socket between its end and the
 * event that tells of it. Here it is told that the socket takes more; it then looks at its connection, and fails as
 * where the connection breaks.
 */
import type { EventEmitter } from 'node:events';
import type { MongoClient } from 'mongodb';

/** The inner parts of the driver that are needed here; where it has other ones nothing is done. */
interface DriverConnection {
  readonly closed?: boolean;
  readonly socket?: EventEmitter;
}

interface DriverServer {
  readonly pool?: { readonly checkedOutConnections?: Iterable<DriverConnection> };
  readonly monitor?: { readonly connection?: DriverConnection | null } | null;
}

interface Inner {
  readonly topology?: { readonly s?: { readonly servers?: ReadonlyMap<string, DriverServer> } };
}

const LOOK_MS = 500;

/** For as long as the client is open. */
export function endDeadCommands(client: MongoClient): void {
  const timer = setInterval(() => look(client as unknown as Inner), LOOK_MS);
  timer.unref();
  client.once('topologyClosed', () => clearInterval(timer));
}

function look({ topology }: Inner): void {
  for (const { pool, monitor } of topology?.s?.servers?.values() ?? []) {
    const atWork = [...(pool?.checkedOutConnections ?? []), monitor?.connection];
    // A command that is answered leaves at once when its connection ends: what is still there waits for the socket.
    for (const connection of atWork) if (connection?.closed === true) connection.socket?.emit('drain');
  }
}
