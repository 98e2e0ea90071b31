/** Host certificates: what OpenSSH calls `ssh-ed25519-cert-v01@openssh.com` (its PROTOCOL.certkeys). The library itself only knows plain host keys. */
import { randomBytes } from 'node:crypto';
import { parseKey } from './keys.ts';
import type { ParsedKey } from './ssh2.ts';

/** The name of the algorithm in the key exchange. */
export const CERTIFIED_ED25519 = 'ssh-ed25519-cert-v01@openssh.com';
const ED25519 = 'ssh-ed25519';
const HOST = 2;
/** A client whose clock is behind ours must not see a certificate of the future. */
const BEFORE_SECONDS = 3600;
const NONCE_BYTES = 32;

/** What the library's key exchange uses of a host key. */
export type HostKey = Pick<ParsedKey, 'type' | 'getPublicSSH' | 'sign'>;

/** What a certificate says. */
export interface CertificateFacts {
  /** The private keys, in OpenSSH form: the certified one and the authority's. Both are Ed25519. */
  readonly hostKey: string;
  readonly authority: string;
  /** Shown in logs of clients. */
  readonly keyId: string;
  /** The names of the host that it is good for; clients read `*` and `?` in them as patterns. */
  readonly names: readonly string[];
  readonly validSeconds: number;
}

/** Makes a host certificate in wire form. @throws Error when a key is no Ed25519 private key */
export function hostCertificate({
  hostKey,
  authority,
  keyId,
  names,
  validSeconds,
}: CertificateFacts): Buffer {
  const certified = readEd25519(hostKey);
  const signer = readEd25519(authority);
  const now = Math.floor(Date.now() / 1000);
  const body = Buffer.concat([
    text(CERTIFIED_ED25519),
    text(randomBytes(NONCE_BYTES)),
    text(rawKeyOf(certified)),
    number64(0),
    number32(HOST),
    text(keyId),
    text(Buffer.concat(names.map(text))),
    number64(now - BEFORE_SECONDS),
    number64(now + validSeconds),
    // No critical options, no extensions, nothing reserved.
    ...['', '', ''].map(text),
    text(signer.getPublicSSH()),
  ]);
  const signature: Buffer | Error = signer.sign(body);
  if (signature instanceof Error) throw signature;
  return Buffer.concat([body, text(Buffer.concat([text(ED25519), text(signature)]))]);
}

/**
 * A host key that shows its certificate. The signature of a certified key has the plain key's name, where the library writes the name that was negotiated;
 * it reads that name right after it has asked for the signature, so the signature sets it.
 */
export function certifiedKey(key: HostKey, certificate: Buffer, protocol: object): HostKey {
  return {
    type: key.type,
    getPublicSSH: () => certificate,
    sign: (data, algorithm) => {
      const exchange: unknown = Reflect.get(protocol, '_kex');
      const negotiated: unknown =
        typeof exchange === 'object' && exchange !== null
          ? Reflect.get(exchange, 'negotiated')
          : undefined;
      if (typeof negotiated !== 'object' || negotiated === null)
        throw new Error('ssh2 has changed inside');
      Reflect.set(negotiated, 'serverHostKey', ED25519);
      return key.sign(data, algorithm);
    },
  };
}

function readEd25519(privateKey: string): ParsedKey {
  const key = parseKey(privateKey);
  if (key instanceof Error || !key.isPrivateKey() || key.type !== ED25519)
    throw new Error('an Ed25519 private key is needed');
  return key;
}

/** The 32 bytes behind the type in the wire form of a public key. */
function rawKeyOf(key: ParsedKey): Buffer {
  return key.getPublicSSH().subarray(4 + ED25519.length + 4);
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number32(bytes.length), bytes]);
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function number64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
