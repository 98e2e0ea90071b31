import { limitGroup } from './group-exchange.ts';
import { HYBRID, makeHybrid } from './hybrid-exchange.ts';
import {
  changeExchange,
  ignoreNextPacket,
  isServer,
  kexModule,
  ownOffer,
  type Protocol,
  supportedKex,
} from './internals.ts';

/** The offer of algorithms that starts a key exchange (KEXINIT, RFC 4253, section 7.1). */

export const KEXINIT = 20;
/** Message type and cookie. */
const BEFORE_LISTS = 1 + 16;
/** Key exchanges and host keys, then two lists each of ciphers, MACs, compression and languages. */
const LISTS = 10;

interface Offer {
  /**
   * Key exchanges, host keys, ciphers, MACs, compression, languages. The last four have two lists
   * each, client to server first.
   */
  readonly lists: readonly (readonly string[])[];
  /** True if the sender's next packet is its guess of the first key exchange message. */
  readonly hasGuess: boolean;
}

/** Parses the payload of a KEXINIT; undefined if it is malformed. */
export function readOffer(payload: Buffer): Offer | undefined {
  if (payload[0] !== KEXINIT) return undefined;
  const lists: string[][] = [];
  let at = BEFORE_LISTS;
  while (lists.length < LISTS) {
    if (at + 4 > payload.length) return undefined;
    const size = payload.readUInt32BE(at);
    if (at + 4 + size > payload.length) return undefined;
    lists.push(payload.toString('latin1', at + 4, at + 4 + size).split(','));
    at += 4 + size;
  }
  return { lists, hasGuess: payload[at] === 1 };
}

/** Returns the payload with other key exchanges in its first list. */
function withKex(payload: Buffer, names: readonly string[]): Buffer {
  const text = Buffer.from(names.join(','), 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  const rest = payload.subarray(BEFORE_LISTS + 4 + payload.readUInt32BE(BEFORE_LISTS));
  return Buffer.concat([payload.subarray(0, BEFORE_LISTS), length, text, rest]);
}

/** Returns false after a change of ciphers: the rest of the same chunk belongs to the new ones. */
type Handle = (payload: Buffer) => unknown;

/** Common fallback, whose exchange becomes the hybrid one. */
const CURVE = 'curve25519-sha256';

/**
 * Repairs ssh2's handling of an offer (KEXINIT): treats a client's guessed first packet as RFC
 * 4253, section 7 requires, and adds a hybrid key exchange.
 */
export function repairKeyExchange(): void {
  const kex = kexModule();
  const onPayload = kex.onKEXPayload;
  const onRekey = kex.HANDLERS[KEXINIT];
  if (!onRekey) throw new Error('ssh2 has changed inside');
  supportedKex().push(HYBRID);
  kex.onKEXPayload = function (state, payload) {
    const handle: Handle = (read) => onPayload.call(this, state, read);
    return state.firstPacket && payload[0] === KEXINIT
      ? negotiate(this, payload, handle)
      : handle(payload);
  };
  kex.HANDLERS[KEXINIT] = (protocol, payload) =>
    negotiate(protocol, payload, (read) => onRekey(protocol, read));
}

function negotiate(protocol: Protocol, payload: Buffer, handle: Handle): unknown {
  const theirs = readOffer(payload);
  if (!theirs) return handle(payload);
  const { kex: ours, serverHostKey } = ownOffer(protocol);
  const [theirKex = [], theirKeys = []] = theirs.lists;
  const [client, server] = isServer(protocol) ? [theirKex, ours.array] : [ours.array, theirKex];
  const isHybrid =
    client.find((name) => server.includes(name)) === HYBRID && ours.array.includes(CURVE);
  const outcome = isHybrid ? negotiateHybrid(protocol, payload, theirKex, handle) : handle(payload);
  if (!isServer(protocol)) limitGroup(protocol);
  const isRightGuess = theirKex[0] === ours.array[0] && theirKeys[0] === serverHostKey.array[0];
  ignoreNextPacket(protocol, theirs.hasGuess && !isRightGuess);
  return outcome;
}

/**
 * Makes ssh2 start a Curve25519 exchange, and converts it to a hybrid one before its first message.
 */
function negotiateHybrid(
  protocol: Protocol,
  payload: Buffer,
  theirKex: readonly string[],
  handle: Handle,
): unknown {
  const markers = theirKex.filter((name) => /^(?:ext-info-|kex-strict-)/.test(name));
  return changeExchange(
    protocol,
    payload,
    (exchange) => makeHybrid(exchange, isServer(protocol)),
    () => handle(withKex(payload, [CURVE, ...markers])),
  );
}
