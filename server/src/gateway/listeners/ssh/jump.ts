import type { Duplex } from 'node:stream';
import { say } from '@sallyport/contract';
import {
  type Connection,
  createIncoming,
  DisconnectReason,
  endConnection,
  gatherWrites,
  hostCertificate,
  refusal,
} from '@sallyport/ssh';
import { SIGN_IN_MS, SSH_KEEPALIVE_MISSES, SSH_KEEPALIVE_MS } from '../../limits.ts';
import { IDENT, MODERN } from './algorithms.ts';
import { closeSoon } from './close-soon.ts';
import { MAX_NAME } from './destination.ts';
import { guardAnswers } from './guard-answers.ts';
import type { GrantedTarget, HostIdentity, SshTargets } from './ports.ts';
import { oneServer } from './resolve.ts';
import { TextError } from './text-error.ts';
import { words } from './words.ts';

/** Port of servers in the names that users type, whatever the real port is. */
const SSH_PORT = 22;
/** Each connection gets a new certificate. Clients check its validity only while connecting. */
const VALID_SECONDS = 24 * 3600;
/** Names allowed in a certificate: clients read `*`, `?` and `!` as patterns. */
const PLAIN_NAME = /^[\w.:%+-]{1,253}$/;

/** Destination of a forwarded connection. */
export interface JumpAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Resolves the server of `ssh -J bastion account@asset` among the servers granted to a user.
 * @throws TextError
 */
export async function resolveJump(
  targets: SshTargets,
  userId: string,
  { host, port }: JumpAddress,
): Promise<GrantedTarget> {
  const server = oneServer(await targets.named(userId, host), host);
  if (port !== SSH_PORT && !(await targets.sshPorts(server.id)).includes(port))
    throw new TextError(words.jumpPort, { asset: server.hostname, port });
  return server;
}

export interface JumpParts {
  readonly stream: Duplex;
  readonly server: GrantedTarget;
  /** The name by which the client knows the server. */
  readonly clientName: string;
  readonly identity: HostIdentity;
  /** Called once, when the inner client has named its account. */
  readonly onAccount: (connection: Connection, account: string) => void;
}

/**
 * Serves SSH inside a forwarded connection in place of the server, with a host certificate for the
 * server's names. The outer connection has authenticated the user, so any sign-in method succeeds
 * here. The user name is the account.
 */
export function answerJump({ stream, server, clientName, identity, onAccount }: JumpParts): void {
  const names = [
    ...new Set(
      [clientName, server.hostname, server.ip, server.id].map((name) => name.toLowerCase()),
    ),
  ].filter((name) => PLAIN_NAME.test(name));
  const facts = {
    hostKey: identity.key,
    authority: identity.authority,
    keyId: server.id,
    names,
    validSeconds: VALID_SECONDS,
  };
  const accept = createIncoming({
    hostKeys: [identity.key],
    certificate: hostCertificate(facts),
    algorithms: MODERN,
    ident: IDENT,
    keepaliveMs: SSH_KEEPALIVE_MS,
    keepaliveMisses: SSH_KEEPALIVE_MISSES,
  });
  endWithClient(stream);
  gatherWrites(stream);
  guardAnswers(stream, () => accepted);
  const late = setTimeout(() => {
    endConnection(accepted, DisconnectReason.byApplication, say(words.signInTimeout, 'en'));
    closeSoon(stream);
  }, SIGN_IN_MS);
  stream.once('close', () => clearTimeout(late));
  const accepted = accept(stream, (connection) => {
    connection.on('error', () => closeSoon(stream));
    let isIn = false;
    connection.on('authentication', (context) => {
      if (isIn || context.username.length > MAX_NAME) {
        context.reject();
        return;
      }
      // Some clients first ask if a key is acceptable, and sign in with their next request.
      if (context.method === 'publickey' && !context.signature) {
        context.accept();
        return;
      }
      isIn = true;
      clearTimeout(late);
      onAccount(connection, context.username);
      context.accept();
    });
  });
}

/** SSH has no half-open connections: end ours with the client's. */
function endWithClient(stream: Duplex): void {
  stream.once('end', () => stream.end());
}

const MAX_REASON = 300;

/**
 * Sends the reason for which a forwarded connection ends before it begins, as an SSH disconnect
 * message that clients show.
 */
export function refuseJump(stream: Duplex, { message }: Error): void {
  stream.on('error', () => undefined);
  endWithClient(stream);
  stream.resume();
  stream.write(refusal(IDENT, DisconnectReason.notAllowed, message.slice(0, MAX_REASON)));
  // A client that is disconnected while sending its first packet does not read ours. Let it close
  // the connection.
  closeSoon(stream);
}
