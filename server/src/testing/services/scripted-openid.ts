import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Claims = Readonly<Record<string, unknown>>;

/** Signature algorithms of tokens that the provider can use. */
export const ALGORITHMS = {
  RS256: ['rsa', 'sha256'],
  RS512: ['rsa', 'sha512'],
  PS256: ['pss', 'sha256'],
  PS512: ['pss', 'sha512'],
  ES256: ['P-256', 'sha256'],
  ES384: ['P-384', 'sha384'],
  ES512: ['P-521', 'sha512'],
  EdDSA: ['ed25519', undefined],
  Ed25519: ['ed25519', undefined],
} as const;
export type Algorithm = keyof typeof ALGORITHMS;

/** The answers of the provider. A test changes them before a sign-in. */
export interface ProviderScript {
  algorithm: Algorithm;
  /** Claims of the ID token, besides or instead of the ordinary ones. */
  token: Claims;
  /** Claims of the userinfo endpoint; undefined: the metadata lists none. */
  userinfo: Claims | undefined;
  /** True if userinfo is a signed token (OpenID Connect Core 1.0, section 5.3.2). */
  isUserinfoSigned: boolean;
  /** Metadata besides or instead of the ordinary one. */
  metadata: Claims;
  /** Answers the token request instead of a token. */
  refusal: { readonly status: number; readonly body: Claims } | undefined;
}

export interface ScriptedOpenid {
  readonly issuer: string;
  readonly script: ProviderScript;
  /** Returns the query of the callback after a sign-in at `address`. */
  callback(address: URL): string;
  /** Signs claims with the current key. */
  mint(claims: Claims): string;
  /** Signs RS256 with a new key from now on. It replaces the published keys unless it is secret. */
  rotate(kid: string | undefined, isPublished?: boolean): void;
  /** Number of requests for the keys. */
  keyRequests(): number;
  stop(): Promise<void>;
}

export const CLIENT_ID = 'sallyport';
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function keyOf(kind: (typeof ALGORITHMS)[Algorithm][0]) {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519');
  return kind === 'rsa' || kind === 'pss'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: kind });
}

interface SigningKey extends ReturnType<typeof keyOf> {
  /** Name of the key in tokens; undefined: they name none. */
  readonly kid: string | undefined;
}

/** An OpenID provider that answers as scripted, to send the shapes of many products. */
export async function startScriptedOpenid(): Promise<ScriptedOpenid> {
  const kinds = [...new Set(Object.values(ALGORITHMS).map(([kind]) => kind))];
  const keys = new Map<string, SigningKey>(
    kinds.map((kind) => [kind, { ...keyOf(kind), kid: kind }]),
  );
  let published = [...keys.values()];
  let keyRequests = 0;
  const script: ProviderScript = {
    algorithm: 'RS256',
    token: {},
    userinfo: undefined,
    isUserinfoSigned: false,
    metadata: {},
    refusal: undefined,
  };
  /** Nonces by code. */
  const nonces = new Map<string, string | null>();
  const server = createServer((request, response) => {
    void answer(request).then(({ status = 200, type = 'application/json', body }) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const mint = (claims: Claims): string => {
    const [kind, digest] = ALGORITHMS[script.algorithm];
    const { privateKey: key, kid } = keys.get(kind) as SigningKey;
    const head = { alg: script.algorithm, kid };
    const signed = `${encode(head)}.${encode(claims)}`;
    const signature = sign(digest, Buffer.from(signed), {
      key,
      dsaEncoding: 'ieee-p1363',
      ...(kind === 'pss' && {
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      }),
    });
    return `${signed}.${signature.toString('base64url')}`;
  };
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    ...(script.userinfo && { userinfo_endpoint: `${issuer}/userinfo` }),
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: Object.keys(ALGORITHMS),
    userinfo_signing_alg_values_supported: Object.keys(ALGORITHMS),
    ...script.metadata,
  });
  const tokens = (code: string): Claims => {
    const now = Math.floor(Date.now() / 1000);
    const ordinary = { iss: issuer, aud: CLIENT_ID, iat: now, exp: now + 300 };
    const claims = { ...ordinary, nonce: nonces.get(code), ...script.token };
    return { access_token: 'access', token_type: 'Bearer', id_token: mint(claims) };
  };
  const answer = async (
    request: IncomingMessage,
  ): Promise<{ status?: number; type?: string; body: string }> => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    const json = (value: unknown, status = 200) => ({ status, body: JSON.stringify(value) });
    if (pathname === '/.well-known/openid-configuration') return json(metadata());
    if (pathname === '/keys') {
      keyRequests++;
      return json({
        keys: published.map(({ kid, publicKey }) => ({
          ...publicKey.export({ format: 'jwk' }),
          kid,
          use: 'sig',
        })),
      });
    }
    if (pathname === '/token') {
      if (script.refusal) return json(script.refusal.body, script.refusal.status);
      return json(tokens(new URLSearchParams(await textOf(request)).get('code') ?? ''));
    }
    if (pathname !== '/userinfo' || !script.userinfo) return json({}, 404);
    const claims = { iss: issuer, aud: CLIENT_ID, ...script.userinfo };
    return script.isUserinfoSigned
      ? { type: 'application/jwt', body: mint(claims) }
      : json(script.userinfo);
  };
  return {
    issuer,
    script,
    callback(address) {
      const code = String(nonces.size + 1);
      nonces.set(code, address.searchParams.get('nonce'));
      return new URLSearchParams({
        code,
        state: address.searchParams.get('state') ?? '',
        iss: issuer,
      }).toString();
    },
    mint,
    rotate(kid, isPublished = true) {
      const key = { ...keyOf('rsa'), kid };
      keys.set('rsa', key);
      if (isPublished) published = [key];
    },
    keyRequests: () => keyRequests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
