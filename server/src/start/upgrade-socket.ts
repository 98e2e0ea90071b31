import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Config, StartError } from '../config.ts';
import { PROCESS_SOCKETS } from '../features/servers/index.ts';
import { socketPath } from '../platform/db/socket-folder.ts';

/** Time of a command to send its request. */
const REQUEST_MILLISECONDS = 10_000;
const MOST_REQUEST = 16 * 1024;
const MOST_COMMANDS = 8;

/** The request of a command. Versions of the program exchange it. */
interface Request {
  readonly kind: 'upgrade';
  readonly to?: string | undefined;
}

interface Answer {
  /** The reason of a failure. */
  readonly problem?: string | undefined;
}

/** In a folder that only the account of the server may enter. */
const pathOf = ({ dataDirectory }: Pick<Config, 'dataDirectory'>): string =>
  join(socketPath(dataDirectory, PROCESS_SOCKETS), 'upgrade.sock');

/**
 * Listens for `sallyport upgrade`. `upgrade` returns the reason of a failure. Returns a function
 * that closes the socket.
 */
export async function listenForUpgrades(
  config: Pick<Config, 'dataDirectory'>,
  upgrade: (to: string | undefined) => Promise<string | undefined>,
): Promise<() => Promise<void>> {
  const path = pathOf(config);
  const open = new Set<Socket>();
  const serve = async (socket: Socket) => {
    const request = requestIn(await readAll(socket));
    const answer: Answer = {
      problem: request ? await upgrade(request.to) : 'The request is not an upgrade.',
    };
    socket.end(JSON.stringify(answer));
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket)).on('error', () => socket.destroy());
    serve(socket).catch(() => socket.destroy());
  });
  server.maxConnections = MOST_COMMANDS;
  rmSync(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  return async () => {
    for (const socket of open) socket.destroy();
    server.close();
  };
}

async function readAll(socket: Socket): Promise<string> {
  const late = setTimeout(() => socket.destroy(), REQUEST_MILLISECONDS);
  socket.on('data', () => {
    if (socket.bytesRead > MOST_REQUEST) socket.destroy();
  });
  try {
    return await text(socket);
  } finally {
    clearTimeout(late);
  }
}

function requestIn(json: string): Request | undefined {
  try {
    const { kind, to } = JSON.parse(json) as { readonly kind?: unknown; readonly to?: unknown };
    const isValid = kind === 'upgrade' && (to === undefined || typeof to === 'string');
    return isValid ? { kind, to } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Asks the running server to run the program of the folder `to`, by default its own, and waits
 * until it has taken over. Returns false without a running server that can be upgraded.
 * @throws StartError with the reason of a failure
 */
export async function requestUpgrade(
  config: Pick<Config, 'dataDirectory'>,
  to: string | undefined,
): Promise<boolean> {
  const socket = connect({ path: pathOf(config), allowHalfOpen: true });
  try {
    await once(socket, 'connect');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return false;
    throw new StartError(
      `The server with the data folder ${config.dataDirectory} cannot be reached (${code}). Run the command as the account of the server.`,
    );
  }
  socket.end(JSON.stringify({ kind: 'upgrade', to } satisfies Request));
  const answer = await text(socket).catch(() => '');
  if (answer === '') throw new StartError('The server ended before the upgrade was complete.');
  const { problem } = JSON.parse(answer) as Answer;
  if (problem !== undefined) throw new StartError(problem);
  return true;
}
