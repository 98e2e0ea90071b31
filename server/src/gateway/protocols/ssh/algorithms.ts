import {
  type Algorithms,
  CIPHERS,
  hybridExchanges,
  type KexAlgorithm,
  type NegotiatedAlgorithms,
} from '@sallyport/ssh';

/** Algorithms that one side of a handshake offers (RFC 4253, section 7.1). */
export type Offer = Readonly<Record<Kind, readonly string[]>>;
type Kind = 'kex' | 'serverHostKey' | 'cipher' | 'hmac';
type Offered = Required<Pick<Algorithms, Kind>> & { readonly [kind in Kind]: readonly string[] };

/** Offered to every server: no SHA-1, MD5, CBC or DSA, which OpenSSH dropped from its defaults. */
export const CURRENT = {
  kex: [
    ...(hybridExchanges() as readonly KexAlgorithm[]),
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group-exchange-sha256',
    'diffie-hellman-group14-sha256',
    'diffie-hellman-group15-sha512',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group17-sha512',
    'diffie-hellman-group18-sha512',
  ],
  serverHostKey: [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  cipher: CIPHERS,
  hmac: [
    'hmac-sha2-256-etm@openssh.com',
    'hmac-sha2-512-etm@openssh.com',
    'hmac-sha2-256',
    'hmac-sha2-512',
  ],
} satisfies Offered;

/**
 * Algorithms of old devices, strongest first. Stream ciphers and single DES are excluded: they
 * protect nothing.
 */
const OUTDATED = {
  kex: [
    'diffie-hellman-group-exchange-sha1',
    'diffie-hellman-group14-sha1',
    'diffie-hellman-group1-sha1',
  ],
  serverHostKey: ['ssh-rsa', 'ssh-dss'],
  cipher: ['aes256-cbc', 'aes192-cbc', 'aes128-cbc', '3des-cbc'],
  hmac: ['hmac-sha1-etm@openssh.com', 'hmac-sha1', 'hmac-sha1-96', 'hmac-md5', 'hmac-md5-96'],
} satisfies Offered;

/**
 * Both lists. The client's order decides (RFC 4253, section 7.1), so current algorithms win where
 * the server has them.
 */
export const WITH_OUTDATED = {
  kex: [...CURRENT.kex, ...OUTDATED.kex],
  serverHostKey: [...CURRENT.serverHostKey, ...OUTDATED.serverHostKey],
  cipher: [...CURRENT.cipher, ...OUTDATED.cipher],
  hmac: [...CURRENT.hmac, ...OUTDATED.hmac],
} satisfies Offered;

const ALL_OUTDATED: ReadonlySet<string> = new Set(Object.values(OUTDATED).flat());

/**
 * Returns true for a user's signature with DSA, or with RSA and SHA-1, which is named like the key
 * (RFC 8332, section 3).
 */
export function isOutdatedSignature(name: string): boolean {
  return OUTDATED.serverHostKey.some((outdated) => outdated === name);
}

/** Returns the outdated algorithms among the negotiated ones, in the order of the handshake. */
export function outdatedAmong({ kex, serverHostKey, cs, sc }: NegotiatedAlgorithms): string[] {
  // An authenticated cipher has no separate MAC.
  const all = [kex, serverHostKey, cs.cipher, sc.cipher, cs.mac, sc.mac];
  return [...new Set(all.filter((name) => name !== undefined && ALL_OUTDATED.has(name)))];
}

/** Returns true if outdated algorithms are the only way to speak to the server. */
export function isOutdated(offered: Offer): boolean {
  const agrees = (ours: Offer) =>
    KINDS.every(
      (kind) => kind === 'hmac' || ours[kind].some((name) => offered[kind].includes(name)),
    );
  return (
    (!agrees(CURRENT) || !hasCode(CURRENT, offered)) &&
    agrees(WITH_OUTDATED) &&
    hasCode(WITH_OUTDATED, offered)
  );
}

const KINDS: readonly Kind[] = ['kex', 'serverHostKey', 'cipher', 'hmac'];

/** Returns true if both sides share a MAC, or their common cipher needs none. */
function hasCode(ours: Offer, offered: Offer): boolean {
  const cipher = ours.cipher.find((name) => offered.cipher.includes(name));
  return (
    cipher !== undefined &&
    (/gcm|poly1305/.test(cipher) || ours.hmac.some((name) => offered.hmac.includes(name)))
  );
}
