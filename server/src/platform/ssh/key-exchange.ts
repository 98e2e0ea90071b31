/**
 * Fixes ssh2's handling of an offer (KEXINIT): treats a client's guessed first packet as RFC 4253,
 * section 7 requires, and adds a hybrid key exchange. Loads before ssh2, which captures these
 * functions when it loads.
 */
import './cipher-keys.ts';
import './exec-bytes.ts';
import { createRequire } from 'node:module';
import { type CurveExchange, HYBRID, makeHybrid } from './hybrid-exchange.ts';
import { KEXINIT, readOffer, withKex } from './offer.ts';

/** Fields of ssh2's `Protocol` that this module uses. */
interface Protocol {
  readonly _server: boolean;
  readonly _offer: {
    readonly lists: Record<'kex' | 'serverHostKey', { readonly array: readonly string[] }>;
  };
  _kex: unknown;
  _skipNextInboundPacket: boolean;
}

/** Returns false after a change of ciphers: the rest of the same chunk belongs to the new ones. */
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

/** Common fallback, whose exchange becomes the hybrid one. */
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
