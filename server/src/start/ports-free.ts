import { createServer } from 'node:net';
import { type Config, StartError } from '../config.ts';
import { listenErrorOf } from './listen.ts';

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
