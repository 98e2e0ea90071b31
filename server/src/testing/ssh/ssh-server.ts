import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthContext,
  answerLateRequests,
  type Connection,
  generateSshKeyPair,
  parseKey,
  readCertificate,
  type SshKeyPair,
  ssh2,
} from '@sallyport/ssh';
import { isSamePublicKey } from '../../platform/ssh-keys.ts';
import { freePort } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import type { SftpBehavior } from './sftp-server.ts';
import { type ScriptedProgram, type SessionAccount, ShellSession } from './ssh-server-session.ts';
import type { SshTarget } from './ssh-target.ts';

export interface SshServerOptions {
  /** Names of environment variables that clients may set; none by default. */
  readonly acceptEnv?: RegExp;
  /** Public lines of authorities, like `TrustedUserCAKeys`; none by default. */
  readonly trustedAuthorities?: () => readonly string[];
  /** Seconds by which the clock of the server is ahead. */
  readonly clockAhead?: () => number;
  /** Differences of the SFTP server from OpenSSH. */
  readonly sftp?: () => SftpBehavior;
  readonly refuses?: NonNullable<SessionAccount['refuses']>;
  /** Like `runs` of an account, with the connection of the program. */
  readonly runs?: (
    request: 'shell' | 'exec',
    program: ScriptedProgram & { readonly connection: Connection },
  ) => boolean;
  /** False if the server refuses every account. */
  readonly accepts?: () => boolean;
  /** Called with each attempt to sign in; returns true if it has answered. */
  readonly answersSignIn?: (connection: Connection) => boolean;
  /** True if the server refuses session channels. */
  readonly refusesSessions?: () => boolean;
}

/** A server whose open connections exchange keys again. */
export interface RekeyingTarget extends SshTarget {
  hostKey(): SshKeyPair;
  /** Uses another host key from now on, for new connections and later key exchanges. */
  setHostKey(key: SshKeyPair): void;
  /** Starts a key exchange on all open connections. */
  exchangeKeys(): void;
}

/**
 * Starts an SSH server in this process on a free loopback port. It runs real shells in real
 * terminals, serves real files, and forwards connections, as the account of the tests. Tests of
 * OpenSSH itself use `startSshd`.
 */
export async function startSshServer(options: SshServerOptions = {}): Promise<RekeyingTarget> {
  const home = await mkdtemp(join(tmpdir(), 'sallyport-ssh-'));
  const account = {
    username: `spt${randomBytes(4).toString('hex')}`,
    password: randomBytes(12).toString('base64url'),
    key: generateSshKeyPair('test'),
  };
  const port = await freePort();
  const connections = new Set<Connection>();
  const sessions = new Set<ShellSession>();

  const serve = (connection: Connection) => {
    connections.add(connection);
    answerLateRequests(connection);
    connection.on('error', () => undefined);
    connection.once('close', () => connections.delete(connection));
    connection.on('authentication', (attempt) => {
      if (options.answersSignIn?.(connection)) return;
      if (options.accepts?.() === false) attempt.reject(['publickey', 'password']);
      else if (isAccepted(attempt, account) || isCertified(attempt, account, options))
        attempt.accept();
      else attempt.reject(['publickey', 'password']);
    });
    connection.on('session', (accept, reject) => {
      if (options.refusesSessions?.()) return reject();
      const { runs, ...others } = options;
      const session = new ShellSession(accept(), {
        ...account,
        home,
        ...others,
        ...(runs && { runs: (request, program) => runs(request, { ...program, connection }) }),
      });
      sessions.add(session);
      session.onEnd = () => sessions.delete(session);
    });
    connection.on('tcpip', (accept, reject, { destIP, destPort }) => {
      const socket = connect(destPort, destIP);
      socket.once('error', () => reject());
      socket.once('connect', () => {
        const channel = accept();
        socket.on('error', () => channel.end());
        channel.on('error', () => socket.destroy());
        channel.once('close', () => socket.destroy());
        channel.pipe(socket).pipe(channel);
      });
    });
  };
  let hostKey = generateSshKeyPair('test host');
  const withHostKey = () =>
    new ssh2.Server({ hostKeys: [hostKey.private], ident: 'TestServer' }, serve);
  let server = withHostKey();
  // It listens until the end: a port that is given back may be taken by another program.
  const listener = createServer((socket) => server.injectSocket(socket));
  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');
  const endAll = () => {
    for (const session of sessions) session.kill();
    for (const connection of connections) connection.end();
  };
  const kill = async () => {
    if (!listener.listening) return;
    const closed = new Promise((done) => listener.close(done));
    endAll();
    await closed;
  };
  return {
    host: '127.0.0.1',
    port,
    username: account.username,
    password: account.password,
    privateKey: account.key.private,
    home,
    kill,
    restartWithNewHostKey: async () => {
      endAll();
      hostKey = generateSshKeyPair('test host');
      server = withHostKey();
    },
    hostKey: () => hostKey,
    setHostKey: (key) => {
      hostKey = key;
      // All connections of a server share its host keys.
      for (const connection of connections)
        hostKeysOf(connection)['ssh-ed25519'] = parseKey(key.private);
    },
    exchangeKeys: () => {
      for (const connection of connections) connection.rekey();
    },
    stop: async () => {
      await kill();
      await removeFolder(home);
    },
  };
}

/** The host keys of a connection, which ssh2 offers to no caller. */
const hostKeysOf = (connection: Connection): Record<string, unknown> =>
  (connection as unknown as { readonly _protocol: { readonly _hostKeys: Record<string, unknown> } })
    ._protocol._hostKeys;

interface Account {
  readonly username: string;
  readonly password: string;
  readonly key: SshKeyPair;
}

function isAccepted(attempt: AuthContext, { username, password, key }: Account): boolean {
  if (attempt.username !== username) return false;
  if (attempt.method === 'password') return attempt.password === password;
  if (attempt.method !== 'publickey' || !isSamePublicKey(key.public, attempt.key.data))
    return false;
  // Without a signature the client only queries if the key is acceptable.
  if (!attempt.signature) return true;
  const parsed = parseKey(key.public);
  if (parsed instanceof Error || !attempt.blob) return false;
  return parsed.verify(attempt.blob, attempt.signature, attempt.hashAlgo) === true;
}

/** Returns true if OpenSSH would accept the certificate of an attempt. */
function isCertified(
  attempt: AuthContext,
  { username }: Account,
  { trustedAuthorities, clockAhead }: SshServerOptions,
): boolean {
  if (attempt.method !== 'publickey' || attempt.username !== username) return false;
  const certificate = readCertificate(attempt.key.data);
  const now = Date.now() / 1000 + (clockAhead?.() ?? 0);
  if (
    !certificate?.isSigned ||
    !certificate.isUser ||
    !trustedAuthorities?.().some((line) => isSamePublicKey(line, certificate.authority)) ||
    !certificate.principals.includes(username) ||
    certificate.validAfter > now ||
    certificate.validBefore <= now
  )
    return false;
  if (!attempt.signature) return true;
  const key = parseKey(`ssh-ed25519 ${certificate.publicKey.toString('base64')}`);
  const prefix = 4 + 'ssh-ed25519'.length + 4;
  return (
    !(key instanceof Error) &&
    attempt.blob !== undefined &&
    key.verify(attempt.blob, attempt.signature.subarray(prefix)) === true
  );
}
