import { HYBRIDS } from '../../../platform/ssh/hybrid-exchange.ts';
import {
  type Algorithms,
  CIPHERS,
  type KexAlgorithm,
  type NegotiatedAlgorithms,
} from '../../../platform/ssh/ssh2.ts';

/** The lists of algorithms that one side of a handshake offers, by their kind. RFC 4253, section 7.1. */
export type Offer = Readonly<Record<Kind, readonly string[]>>;
type Kind = 'kex' | 'serverHostKey' | 'cipher' | 'hmac';
type Offered = Required<Pick<Algorithms, Kind>> & { readonly [kind in Kind]: readonly string[] };

/** What we offer to every server: nothing with SHA-1, MD5, CBC or DSA, which OpenSSH has not offered by itself for years. */
export const CURRENT = {
  kex: [
    ...(HYBRIDS as readonly KexAlgorithm[]),
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

/** What old devices know, the least bad first. Stream ciphers and single DES are left out: they protect nothing. */
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

/** Both; the client's order decides (RFC 4253, section 7.1), so a server that knows better is spoken to with what is current. */
export const WITH_OUTDATED = {
  kex: [...CURRENT.kex, ...OUTDATED.kex],
  serverHostKey: [...CURRENT.serverHostKey, ...OUTDATED.serverHostKey],
  cipher: [...CURRENT.cipher, ...OUTDATED.cipher],
  hmac: [...CURRENT.hmac, ...OUTDATED.hmac],
} satisfies Offered;

const ALL_OUTDATED: ReadonlySet<string> = new Set(Object.values(OUTDATED).flat());

/** Whether a signature of a user's key is outdated: with DSA, or with RSA and SHA-1, which has the name of the key. RFC 8332, section 3. */
export function isOutdatedSignature(name: string): boolean {
  return OUTDATED.serverHostKey.some((outdated) => outdated === name);
}

/** The outdated ones among the algorithms that two sides agreed on, in the order of the handshake. */
export function outdatedAmong({ kex, serverHostKey, cs, sc }: NegotiatedAlgorithms): string[] {
  // A cipher that authenticates by itself has no code of its own.
  const all = [kex, serverHostKey, cs.cipher, sc.cipher, cs.mac, sc.mac];
  return [...new Set(all.filter((name) => name !== undefined && ALL_OUTDATED.has(name)))];
}

/** Whether a server could be spoken to with outdated algorithms, and only with them. */
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

/** Whether both sides share a message authentication code, where the cipher that they will take needs one. */
function hasCode(ours: Offer, offered: Offer): boolean {
  const cipher = ours.cipher.find((name) => offered.cipher.includes(name));
  return (
    cipher !== undefined &&
    (/gcm|poly1305/.test(cipher) || ours.hmac.some((name) => offered.hmac.includes(name)))
  );
}
