/**
 * Corrects how ssh2 answers an offer of algorithms (KEXINIT): it reads a client's guessed first packet as RFC 4253, section 7 says,
 * and knows a hybrid key exchange. Loaded before ssh2, which takes these functions when it loads.
 */
import './cipher-keys.ts';
import './exec-bytes.ts';
import { createRequire } from 'node:module';
import { type CurveExchange, HYBRID, makeHybrid } from './hybrid-exchange.ts';
import { KEXINIT, readOffer, withKex } from './offer.ts';

/** The fields of ssh2's `Protocol` that count here. */
interface Protocol {
  readonly _server: boolean;
  readonly _offer: {
    readonly lists: Record<'kex' | 'serverHostKey', { readonly array: readonly string[] }>;
  };
  _kex: unknown;
  _skipNextInboundPacket: boolean;
}

/** Returns false when the ciphers have changed: what follows in the same bytes is for the new ones. */
type Handle = (payload: Buffer) => unknown;
type OnPayload = (this: Protocol, state: { firstPacket: boolean }, payload: Buffer) => unknown;

const load = createRequire(import.meta.url);
const kex = load('ssh2/lib/protocol/kex.js') as {
  onKEXPayload: OnPayload;
  HANDLERS: Record<number, (protocol: Protocol, payload: Buffer) => unknown>;
};
const { SUPPORTED_KEX } = load('ssh2/lib/protocol/constants.js') as { SUPPORTED_KEX: string[] };
const onPayload = kex.onKEXPayload;
const onRekey = kex.HANDLERS[KEXINIT];
if (typeof onPayload !== 'function' || !onRekey || !Array.isArray(SUPPORTED_KEX))
  throw new Error('ssh2 has changed inside');

SUPPORTED_KEX.push(HYBRID);
kex.onKEXPayload = function (state, payload) {
  const handle: Handle = (read) => onPayload.call(this, state, read);
  return state.firstPacket && payload[0] === KEXINIT
    ? negotiate(this, payload, handle)
    : handle(payload);
};
kex.HANDLERS[KEXINIT] = (protocol, payload) =>
  negotiate(protocol, payload, (read) => onRekey(protocol, read));

/** What both sides fall back to; its exchange is the one that becomes a hybrid. */
const CURVE = 'curve25519-sha256';

function negotiate(protocol: Protocol, payload: Buffer, handle: Handle): unknown {
  const theirs = readOffer(payload);
  if (!theirs) return handle(payload);
  const { kex: ours, serverHostKey } = protocol._offer.lists;
  const [theirKex = [], theirKeys = []] = theirs.lists;
  const [client, server] = protocol._server ? [theirKex, ours.array] : [ours.array, theirKex];
  const isHybrid =
    client.find((name) => server.includes(name)) === HYBRID && ours.array.includes(CURVE);
  const outcome = isHybrid ? negotiateHybrid(protocol, payload, theirKex, handle) : handle(payload);
  const isRightGuess = theirKex[0] === ours.array[0] && theirKeys[0] === serverHostKey.array[0];
  protocol._skipNextInboundPacket = theirs.hasGuess && !isRightGuess;
  return outcome;
}

/** Has ssh2 begin an exchange over Curve25519, and makes it a hybrid before its first message. */
function negotiateHybrid(
  protocol: Protocol,
  payload: Buffer,
  theirKex: readonly string[],
  handle: Handle,
): unknown {
  const markers = theirKex.filter((name) => /^(?:ext-info-|kex-strict-)/.test(name));
  let current = protocol._kex;
  const set = (value: unknown) => {
    current = value;
    if (!isCurveExchange(value)) throw new Error('ssh2 has changed inside');
    value._remoteKexinit = payload;
    makeHybrid(value, protocol._server);
  };
  Object.defineProperty(protocol, '_kex', {
    configurable: true,
    enumerable: true,
    get: () => current,
    set,
  });
  try {
    return handle(withKex(payload, [CURVE, ...markers]));
  } finally {
    Object.defineProperty(protocol, '_kex', {
      configurable: true,
      enumerable: true,
      writable: true,
      value: current,
    });
  }
}

function isCurveExchange(value: unknown): value is CurveExchange {
  return (
    typeof value === 'object' &&
    value !== null &&
    '_keys' in value &&
    '_remoteKexinit' in value &&
    'computeSecret' in value
  );
}
