import { generateKeyPairSync } from 'node:crypto';
import { ssh2 } from '@sallyport/ssh';

/** An SSH key of a user, with its line for the profile. */
export const LAPTOP_KEY = (() => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return { privateKey, line: `ssh-rsa ${parsed.getPublicSSH().toString('base64')} laptop` };
})();

/** Opens a session on the target with the SSH key. Undefined if the key is refused. */
export async function openByKey({ port }: { readonly port: number }, login: string) {
  const client = new ssh2.Client();
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  client.on('error', () => undefined);
  const ready = new Promise<boolean>((resolve) => {
    client.once('ready', () => resolve(true)).once('close', () => resolve(false));
  });
  client.connect({
    host: '127.0.0.1',
    port,
    username: login,
    privateKey: LAPTOP_KEY.privateKey,
    authHandler: ['publickey'],
  });
  if (!(await ready)) return undefined;
  const opened = new Promise<void>((resolve, reject) =>
    client.shell((error, channel) => {
      if (error) reject(error);
      channel?.once('data', () => resolve());
    }),
  );
  await opened;
  return { closed, close: () => client.destroy() };
}
