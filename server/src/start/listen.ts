import { createServer, Server as NetServer } from 'node:net';
import { type Config, StartError } from '../config.ts';
import type { App } from '../http/app.ts';

/** WebSocket close code (RFC 6455 registry): the server restarts, connect again. */
const SERVICE_RESTART = 1012;

/** Listens on the configured address and returns the URL of the console. @throws StartError */
export async function listen(app: App, config: Config): Promise<string> {
  try {
    await app.http.listen({ host: config.httpHost, port: config.httpPort });
  } catch (error) {
    throw listenErrorOf(error, config);
  }
  const address = app.http.server.address();
  const port = typeof address === 'object' && address ? address.port : config.httpPort;
  const host = ['0.0.0.0', '::'].includes(config.httpHost)
    ? 'localhost'
    : config.httpHost.includes(':')
      ? `[${config.httpHost}]`
      : config.httpHost;
  return `http://${host}:${port}/`;
}

/**
 * Stops listening, and closes the connections that clients open again. Settles when the others have
 * ended.
 */
export async function handOverConnections({ http }: App): Promise<void> {
  // A client sees no lost connection: each one ends with the answer of its next request, or after
  // its idle time. `close` of an HTTP server would cut idle ones, whose client may be sending.
  http.server.prependListener('request', (_request, response) =>
    response.setHeader('connection', 'close'),
  );
  const closed = new Promise((settle) => NetServer.prototype.close.call(http.server, settle));
  for (const socket of http.reopenedSockets) socket.close(SERVICE_RESTART);
  await closed;
}

/** Returns a StartError for the operator if the console cannot listen; other errors unchanged. */
function listenErrorOf(error: unknown, config: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new StartError(
      `SALLYPORT_HTTP_PORT: port ${config.httpPort} is in use. Stop the program that has it, or choose another: SALLYPORT_HTTP_PORT='8081'`,
    );
  if (code === 'EACCES')
    return new StartError(
      `SALLYPORT_HTTP_PORT: this account may not listen on port ${config.httpPort}. Choose one above 1023: SALLYPORT_HTTP_PORT='8080'`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(
      `SALLYPORT_HTTP_HOST: this machine does not have the address ${config.httpHost}. Example: SALLYPORT_HTTP_HOST='127.0.0.1'`,
    );
  return error;
}

/**
 * Tries the ports of the console and of SSH before the database is created and migrated, which
 * takes seconds. Listeners report later problems themselves.
 *
 * @throws StartError
 */
export async function assertPortsAreFree(config: Config): Promise<void> {
  const { httpHost, httpPort, sshHost, sshPort } = config;
  if (httpPort > 0 && httpPort === sshPort && httpHost === sshHost)
    throw new StartError(
      `SALLYPORT_HTTP_PORT and SALLYPORT_SSH_PORT are both ${httpPort}. Each listener needs its own: SALLYPORT_SSH_PORT='2222'`,
    );
  if (httpPort > 0)
    await tryPort(httpHost, httpPort).catch((error: unknown) => {
      throw listenErrorOf(error, config);
    });
}

async function tryPort(host: string, port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((settle, fail) => {
    probe.once('error', fail);
    probe.listen({ host, port }, settle);
  });
  await new Promise((settle) => probe.close(settle));
}
