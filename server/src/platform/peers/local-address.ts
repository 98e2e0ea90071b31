import { once } from 'node:events';
import { connect } from 'node:net';

const POSTGRES_PORT = 5432;
const LOOPBACK = '127.0.0.1';

/**
 * Returns this machine's address on the route to a database, at which other servers of that
 * database are likely to reach it.
 * @throws Error if the database cannot be reached
 */
export async function localAddressTowards(databaseUrl: string): Promise<string> {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  // A URL without a host means a socket file on this machine.
  const host = hostname.replace(/^\[|\]$/g, '') || searchParams.get('host') || '';
  if (host === '' || host.startsWith('/')) return LOOPBACK;
  const socket = connect({ host, port: Number(port) || POSTGRES_PORT });
  try {
    await once(socket, 'connect');
    return socket.localAddress ?? LOOPBACK;
  } finally {
    socket.destroy();
  }
}
