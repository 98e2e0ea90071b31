import { once } from 'node:events';
import { type SFTPWrapper, ssh2 } from '@sallyport/ssh';

/** The account of an SFTP connection. */
export interface SftpLogin {
  readonly port: number;
  readonly login: string;
  readonly password: string;
}

/** An SFTP connection that sends exactly the requests of a test. */
export interface SftpCalls {
  readonly sftp: SFTPWrapper;
  /** Sends a request and returns its answer. */
  call<Value = void>(
    request: (
      sftp: SFTPWrapper,
      done: (error: Error | null | undefined, value: Value) => void,
    ) => void,
  ): Promise<Value>;
  /** Closes the TCP connection without a word. */
  kill(): Promise<void>;
  end(): Promise<void>;
}

/** Opens SFTP through the SSH listener. */
export async function openSftp({ port, login, password }: SftpLogin): Promise<SftpCalls> {
  const client = new ssh2.Client();
  client.on('error', () => undefined);
  client.connect({ host: '127.0.0.1', port, username: login, password });
  await once(client, 'ready');
  const sftp = await new Promise<SFTPWrapper>((done, failed) =>
    client.sftp((error, opened) => (error ? failed(error) : done(opened))),
  );
  sftp.on('error', () => undefined);
  return {
    sftp,
    call: (request) =>
      new Promise((done, failed) =>
        request(sftp, (error, value) => (error ? failed(error) : done(value))),
      ),
    async kill() {
      client.destroy();
    },
    async end() {
      client.end();
      await once(client, 'close');
    },
  };
}
