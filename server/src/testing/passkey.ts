import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;

interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id?: string };
  readonly rpId?: string;
}

/** A software authenticator with one passkey, which answers like a browser. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(32).toString('base64url');
  private readonly key: KeyObject;
  private readonly publicKey: KeyObject;
  private counter = 0;
  /** Origin that the browser would send. */
  origin: string;
  /** True if it has verified its user by finger or PIN. */
  verifies = true;

  constructor(origin: string) {
    this.origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.key = privateKey;
    this.publicKey = publicKey;
  }

  private clientData(type: string, challenge: string): string {
    return JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false });
  }

  private authenticatorData(rpId: string, extra = 0, rest: Buffer = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(++this.counter);
    const flags = USER_PRESENT | (this.verifies ? USER_VERIFIED : 0) | extra;
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, rest]);
  }

  /** Answers the options for a new passkey. */
  register(options: Options): Record<string, unknown> {
    const { x = '', y = '' } = this.publicKey.export({ format: 'jwk' });
    const cose = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Uint8Array.from(Buffer.from(x, 'base64url'))],
        [-3, Uint8Array.from(Buffer.from(y, 'base64url'))],
      ]),
    );
    const id = Buffer.from(this.id, 'base64url');
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      Buffer.from(cose),
    ]);
    const authData = this.authenticatorData(options.rp?.id ?? '', HAS_KEY, attested);
    const attestation = isoCBOR.encode(
      new Map<string, string | Map<string, string> | Uint8Array>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', Uint8Array.from(authData)],
      ]),
    );
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: Buffer.from(this.clientData('webauthn.create', options.challenge)).toString(
          'base64url',
        ),
        attestationObject: Buffer.from(attestation).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** Answers the options for authentication. */
  answer(options: Options): Record<string, unknown> {
    const data = this.authenticatorData(options.rpId ?? '');
    const client = this.clientData('webauthn.get', options.challenge);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.key);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: Buffer.from(client).toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      },
    };
  }
}
