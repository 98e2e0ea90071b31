import type { Duplex } from 'node:stream';
import {
  type AuthenticationType,
  type CertifiedKey,
  type Client,
  type ConnectConfig,
  certificateSignIn,
  countAnyPacket,
  forgetExchanges,
  gatherWrites,
  offeredLists,
  prepareSignIn,
  readWholeGreeting,
  reportDisconnect,
  shareOffer,
  shareReads,
  ssh2,
  watchSignatures,
  withOwnMemory,
} from '@sallyport/ssh';
import {
  KEY_EXCHANGE_WINDOW_MS,
  MAX_KEY_EXCHANGES,
  MAX_QUESTIONS,
  SSH_KEEPALIVE_MISSES,
  SSH_KEEPALIVE_MS,
} from '../../limits.ts';
import type { Hop, HostKeys, OfferedKey } from '../../ports.ts';
import { Refusal } from '../../refusal.ts';
import {
  CURRENT,
  isOutdated,
  isOutdatedSignature,
  outdatedAmong,
  WITH_OUTDATED,
} from './algorithms.ts';
import { guardBacklog } from './backpressure.ts';
import {
  forwardRefusalOf,
  peerOf,
  refusalOf,
  silentRefusalOf,
  TargetViolation,
} from './ssh-errors.ts';

export interface SshStep {
  readonly hop: Hop;
  /** Replaces the secrets of the hop's account. */
  readonly certificate?: CertifiedKey | undefined;
  readonly kind: OfferedKey['kind'];
  readonly hostKeys: HostKeys;
  readonly timeoutMs: number;
  /** The TCP connection, or the stream through the previous server. */
  readonly transport: Duplex;
  readonly onAuthenticating: () => void;
  /** Called with all outdated algorithms so far; may be called more than once. */
  readonly onOutdated?: ((algorithms: readonly string[]) => void) | undefined;
  readonly signal: AbortSignal;
}

/** Opens and authenticates an SSH connection. @throws Refusal */
export async function openSshClient(step: SshStep): Promise<Client> {
  const { hop, signal } = step;
  const peer = peerOf(hop);
  const client = new ssh2.Client();
  forgetExchanges(client);
  let problem: unknown;
  let hasAnswered = false;
  let questions = 0;
  const peerName = `${hop.host}:${hop.port}`;
  /** The host key of the first key exchange. */
  let accepted: Buffer | undefined;
  const refuse = (refusal: unknown) => {
    problem ??= refusal;
    step.transport.destroy();
  };
  const isOfferOutdated = watchOffer(step.transport);
  const connected = new Promise<void>((done, failed) => {
    client.once('ready', done);
    // Until the end: a server can cause several errors; one without listener ends the process.
    client.on('error', (error) => {
      if ('level' in error && error.level === 'handshake' && isOfferOutdated())
        problem ??= outdated(step);
      failed(problem ?? error);
    });
    client.once('close', () => failed(problem ?? new Error('closed before it was open')));
  });
  const used = new Set<string>();
  const noteOutdated = (names: readonly string[]) => {
    for (const name of names) used.add(name);
    if (names.length > 0) step.onOutdated?.([...used]);
  };
  client.once('handshake', () => shareReads(step.transport));
  const mayExchange = exchangeLimit();
  client.on('handshake', (negotiated) => {
    if (!mayExchange()) step.transport.destroy(new TargetViolation('flooded'));
    noteOutdated(outdatedAmong(negotiated));
    step.onAuthenticating();
  });
  // biome-ignore lint/complexity/useMaxParams: an event of ssh2
  client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
    questions += prompts.length + 1;
    if (questions > MAX_QUESTIONS) {
      refuse(new Refusal('connect_credentials', { host: peerName, account: peer.account }));
      return;
    }
    // Answer hidden prompts only: a prompt with echo must not receive the password.
    finish(prompts.map((prompt) => (prompt.echo ? '' : (hop.login.password ?? ''))));
  });
  try {
    signal.throwIfAborted();
    gatherWrites(step.transport);
    const algorithms = hop.allowsOldSsh ? WITH_OUTDATED : CURRENT;
    const settings: ConnectConfig = {
      sock: step.transport,
      username: hop.login.username,
      ...(hop.login.password === undefined ? {} : { password: hop.login.password }),
      ...(hop.login.privateKey === undefined ? {} : { privateKey: hop.login.privateKey }),
      ...(hop.login.passphrase === undefined ? {} : { passphrase: hop.login.passphrase }),
      authHandler: step.certificate
        ? [certificateSignIn(hop.login.username, step.certificate)]
        : methodsOf(hop),
      tryKeyboard: hop.login.password !== undefined,
      readyTimeout: step.timeoutMs,
      keepaliveInterval: SSH_KEEPALIVE_MS,
      keepaliveCountMax: SSH_KEEPALIVE_MISSES,
      algorithms,
      hostVerifier: (key: Buffer, verdict: (accepted: boolean) => void) => {
        const verified = verifyHostKey(step, key);
        if (accepted?.equals(key)) {
          // A later key exchange: ssh2 sends broken packets while a verdict is pending.
          verified.catch(refuse);
          verdict(true);
          return;
        }
        verified.then(
          () => {
            accepted = withOwnMemory(() => Buffer.from(key));
            verdict(true);
          },
          (refusal) => {
            problem ??= refusal;
            verdict(false);
          },
        );
      },
    };
    withOwnMemory(() => client.connect(settings));
    readWholeGreeting(client);
    reportDisconnect(client);
    shareOffer(client, algorithms);
    prepareSignIn(client);
    watchSignatures(client, (name) => {
      if (!isOutdatedSignature(name)) return true;
      if (hop.allowsOldSsh) noteOutdated([name]);
      else refuse(outdated(step));
      return hop.allowsOldSsh === true;
    });
    guardBacklog(step.transport, () => step.transport.destroy(new TargetViolation('flooded')));
    step.transport.once('data', () => {
      hasAnswered = true;
    });
    await inTime(connected, step.timeoutMs + 1000, signal, { host: `${hop.host}:${hop.port}` });
    countAnyPacket(client);
    return client;
  } catch (error) {
    step.transport.destroy();
    client.destroy();
    if (signal.aborted) throw signal.reason;
    if (unreadableKey(error))
      throw new Refusal('connect_credentials', {
        host: `${hop.host}:${hop.port}`,
        account: hop.login.username,
      });
    throw hasAnswered ? refusalOf(error, peer) : silentRefusalOf(error, peer);
  }
}

/** Opens a stream from one server to the next. */
export async function forwardTo(
  client: Client,
  next: Hop,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Duplex> {
  const opened = new Promise<Duplex>((done, failed) => {
    client.forwardOut('127.0.0.1', 0, next.host, next.port, (error, stream) => {
      if (error) failed(forwardRefusalOf(error, peerOf(next)));
      else done(stream);
    });
  });
  return inTime(opened, timeoutMs, signal, { host: `${next.host}:${next.port}` });
}

/** Waits for an answer, with a timeout and an abort signal. */
export async function inTime<Value>(
  answer: Promise<Value>,
  timeoutMs: number,
  signal: AbortSignal,
  peer: { readonly host: string },
): Promise<Value> {
  // An abandoned answer may still reject; without a handler that would end the process.
  answer.catch(() => undefined);
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  const givenUp = new Promise<never>((_done, failed) => {
    timer = setTimeout(() => failed(new Refusal('connect_timeout', peer)), timeoutMs);
    abort = () => failed(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([answer, givenUp]);
  } finally {
    clearTimeout(timer);
    if (abort) signal.removeEventListener('abort', abort);
  }
}

/** Counts key exchanges. The returned function returns false beyond the limit. */
function exchangeLimit(): () => boolean {
  let began = performance.now();
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - began > KEY_EXCHANGE_WINDOW_MS) [began, count] = [now, 0];
    count += 1;
    return count <= MAX_KEY_EXCHANGES;
  };
}

function methodsOf({ login }: Hop): AuthenticationType[] {
  const methods: AuthenticationType[] = [];
  if (login.privateKey !== undefined) methods.push('publickey');
  if (login.password !== undefined) methods.push('password', 'keyboard-interactive');
  if (methods.length === 0) methods.push('none');
  return methods;
}

async function verifyHostKey(step: SshStep, key: Buffer): Promise<void> {
  const { hop } = step;
  const verdict = await step.hostKeys.verify({
    kind: step.kind,
    ownerId: hop.id,
    host: hop.host,
    port: hop.port,
    keyType: keyTypeOf(key),
    key,
  });
  if (verdict === 'changed')
    throw new Refusal('connect_host_key', { host: `${hop.host}:${hop.port}` });
}

function outdated({ hop, kind }: SshStep): Refusal {
  return new Refusal(kind === 'asset' ? 'connect_outdated' : 'connect_outdated_gateway', {
    host: `${hop.host}:${hop.port}`,
  });
}

/** Parses the server's offer of algorithms. The returned function tells if it was outdated only. */
function watchOffer(transport: Duplex): () => boolean {
  let first: Buffer | undefined;
  let isOld = false;
  const read = (chunk: Buffer) => {
    first = first ? Buffer.concat([first, chunk]) : chunk;
    const lists = offeredLists(first);
    if (lists === 'more') return;
    transport.off('data', read);
    first = undefined;
    // Drop the lists: they are three kilobytes per connection.
    const [kex = [], serverHostKey = [], cipher = [], , hmac = []] = lists ?? [];
    isOld = lists !== undefined && isOutdated({ kex, serverHostKey, cipher, hmac });
  };
  transport.on('data', read);
  return () => isOld;
}

/** A key on the wire begins with the length and name of its type. */
function keyTypeOf(key: Buffer): string {
  if (key.length < 4) return 'unknown';
  return key.toString('latin1', 4, 4 + Math.min(key.readUInt32BE(0), 64));
}

function unreadableKey(error: unknown): boolean {
  return error instanceof Error && /privateKey/i.test(error.message) && !('level' in error);
}
