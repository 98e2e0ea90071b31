import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { CERTIFIED_ED25519 } from './host-certificate.ts';
import { generateSshKeyPair, parseKey } from './keys.ts';
import { type AuthContext, type Client, ssh2 } from './ssh2.ts';
import {
  type CertifiedKey,
  certificateSignIn,
  prepareSignIn,
  readCertificate,
  userCertificate,
} from './user-certificate.ts';

const facts = {
  serial: 2n ** 60n + 1n,
  keyId: 'user=ann session=1 account=deploy',
  principals: ['deploy', 'web'],
  validAfter: 1_000,
  validBefore: 1_360,
  extensions: ['permit-pty', 'permit-port-forwarding'],
};

/** Makes a key pair of a user, an authority, and the certificate. */
function makeCertificate() {
  const user = generateSshKeyPair('');
  const authority = generateSshKeyPair('');
  const certificate = userCertificate(user.private, authority.private, facts);
  return { user, authority, certificate };
}

const wireOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64');

it('writes a certificate that reads as it was signed', () => {
  const { user, authority, certificate } = makeCertificate();
  expect(readCertificate(certificate)).toEqual({
    ...facts,
    extensions: ['permit-port-forwarding', 'permit-pty'],
    criticalOptions: [],
    isUser: true,
    publicKey: wireOf(user.public),
    authority: wireOf(authority.public),
    isSigned: true,
  });
});

it('detects a changed certificate, and rejects other bytes', () => {
  const { user, certificate } = makeCertificate();
  const changed = Buffer.from(certificate);
  changed.write('root', changed.indexOf('deploy\0'));
  expect(readCertificate(changed)?.isSigned).not.toBe(true);
  expect(readCertificate(certificate.subarray(0, -1))).toBeUndefined();
  expect(readCertificate(Buffer.concat([certificate, Buffer.from([0])]))).toBeUndefined();
  expect(readCertificate(wireOf(user.public))).toBeUndefined();
  expect(readCertificate(Buffer.alloc(0))).toBeUndefined();
});

/** Signs in to a server that keeps the attempts, and accepts those of `isKnown`. */
async function signIn(
  login: Pick<Parameters<Client['connect']>[0], 'privateKey' | 'password' | 'authHandler'>,
  isKnown = (_attempt: AuthContext) => true,
): Promise<readonly AuthContext[]> {
  const attempts: AuthContext[] = [];
  const server = new ssh2.Server({ hostKeys: [generateSshKeyPair('').private] }, (side) => {
    side.on('error', () => undefined);
    side.on('authentication', (attempt) => {
      attempts.push(attempt);
      if (isKnown(attempt)) attempt.accept();
      else attempt.reject();
    });
  });
  const listener = createServer((socket) => server.injectSocket(socket)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = new ssh2.Client();
  client.connect({
    host: '127.0.0.1',
    port: address.port,
    username: 'deploy',
    ...login,
  });
  prepareSignIn(client);
  try {
    await once(client, 'ready');
  } finally {
    client.end();
    listener.close();
  }
  return attempts;
}

it('offers the certificate, and signs with the key as OpenSSH expects it', async () => {
  const { user, certificate } = makeCertificate();
  const key: CertifiedKey = { privateKey: user.private, certificate };
  const [signed, ...others] = await signIn({ authHandler: [certificateSignIn('deploy', key)] });
  expect(others).toEqual([]);
  if (signed?.method !== 'publickey') throw new Error('no attempt with a key');
  expect(signed.key).toMatchObject({ algo: CERTIFIED_ED25519, data: certificate });
  const publicKey = parseKey(user.public);
  if (publicKey instanceof Error || !signed.blob || !signed.signature) throw new Error('unsigned');
  // OpenSSH rejects a signature that names the type of the certificate.
  const [name, signature] = [signed.signature.subarray(4, 15), signed.signature.subarray(19)];
  expect(name.toString()).toBe('ssh-ed25519');
  expect(publicKey.verify(signed.blob, signature)).toBe(true);
});

/** Methods of attempts, with a mark at those that are signed. */
const stepsOf = (attempts: readonly AuthContext[]) =>
  attempts.map((one) => `${one.method}${'signature' in one && one.signature ? ' signed' : ''}`);

it('signs with an Ed25519 key at once, and asks the server first for a key of RSA', async () => {
  const handler = { authHandler: ['publickey' as const] };
  const { private: ed25519 } = generateSshKeyPair('');
  expect(stepsOf(await signIn({ privateKey: ed25519, ...handler }))).toEqual(['publickey signed']);
  const { privateKey: rsa } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  expect(stepsOf(await signIn({ privateKey: rsa, ...handler }))).toEqual([
    'publickey',
    'publickey signed',
  ]);
});

it('signs in with the password when the server rejects the key', async () => {
  const { private: privateKey } = generateSshKeyPair('');
  const attempts = await signIn(
    { privateKey, password: 'secret', authHandler: ['publickey', 'password'] },
    ({ method }) => method === 'password',
  );
  expect(stepsOf(attempts)).toEqual(['publickey signed', 'password']);
});
