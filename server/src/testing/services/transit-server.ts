import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Certificates } from '../certificates.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A key service in this process: it speaks the documented HTTP API of Transit and AppRole. */
export interface TransitServer {
  readonly url: string;
  /** Accepted tokens, and the role whose sign-in adds one. */
  readonly tokens: Set<string>;
  readonly role: { readonly id: string; readonly secret: string };
  /** Versions of the key `sallyport`, the first at 0. Empty: there is no key. */
  readonly versions: Buffer[];
  /** Paths that the policy of the tokens lacks. */
  readonly denied: Set<string>;
  /** Replaces each answer. */
  answer: { readonly status: number; readonly body: string } | 'never' | undefined;
  /** Method and path of each request, without its body. */
  readonly requests: string[];
  stop(): Promise<void>;
}

const GCM = { authTagLength: 16 };

function encrypt(versions: readonly Buffer[], { plaintext, key_version: version }: Fields): Fields {
  const chosen = Number(version ?? versions.length);
  const key = versions[chosen - 1];
  if (!key) return { errors: ['cannot encrypt with a version that does not exist'] };
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, GCM);
  const body = Buffer.concat([
    nonce,
    cipher.update(Buffer.from(String(plaintext), 'base64')),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return { ciphertext: `vault:v${chosen}:${body.toString('base64')}`, key_version: chosen };
}

function decrypt(versions: readonly Buffer[], { ciphertext }: Fields): Fields {
  const [, version, text = ''] = /^vault:v(\d+):(.+)$/.exec(String(ciphertext)) ?? [];
  const key = versions[Number(version) - 1];
  if (!key) return { errors: ['invalid ciphertext: no prefix, or unknown version'] };
  try {
    const bytes = Buffer.from(text, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), GCM);
    decipher.setAuthTag(bytes.subarray(-16));
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    return { plaintext: plain.toString('base64') };
  } catch {
    return { errors: ['cipher: message authentication failed'] };
  }
}

const describe = (versions: readonly Buffer[]): Fields => ({
  name: 'sallyport',
  type: 'aes256-gcm96',
  derived: false,
  exportable: false,
  supports_encryption: true,
  supports_decryption: true,
  latest_version: versions.length,
  min_available_version: 0,
  min_decryption_version: 1,
  min_encryption_version: 0,
  keys: Object.fromEntries(versions.map((_, index) => [index + 1, 1_700_000_000 + index])),
});

function act(server: TransitServer, action: string, body: Fields): Fields | undefined {
  const { versions } = server;
  if (versions.length === 0) return undefined;
  switch (action) {
    case 'GET keys/sallyport':
      return describe(versions);
    case 'POST keys/sallyport/rotate':
      versions.push(randomBytes(32));
      return describe(versions);
    case 'POST encrypt/sallyport':
      return encrypt(versions, body);
    case 'POST decrypt/sallyport':
      return decrypt(versions, body);
    default:
      return undefined;
  }
}

function respond(server: TransitServer, request: IncomingMessage, body: Fields) {
  const path = String(request.url).replace('/v1/', '');
  const { role, tokens, denied } = server;
  if (path === 'auth/approle/login') {
    if (body.role_id !== role.id || body.secret_id !== role.secret)
      return { status: 400, body: { errors: ['invalid role or secret ID'] } };
    const token = `hvs.${randomBytes(12).toString('hex')}`;
    tokens.add(token);
    return { status: 200, body: { auth: { client_token: token, lease_duration: 1200 } } };
  }
  if (!tokens.has(String(request.headers['x-vault-token'])) || denied.has(path))
    return { status: 403, body: { errors: ['permission denied'] } };
  const action = `${request.method} ${path.replace('security/transit/', '')}`;
  const data = path.startsWith('security/transit/') ? act(server, action, body) : undefined;
  if (!data) return { status: 404, body: { errors: [] } };
  return data.errors ? { status: 400, body: data } : { status: 200, body: { data } };
}

/** Starts a key service with the engine `security/transit` and TLS. */
export async function startTransitServer({
  certificate,
  key,
}: Certificates): Promise<TransitServer> {
  const handle = async (request: IncomingMessage, reply: ServerResponse) => {
    const sent = await text(request);
    running.requests.push(`${request.method} ${request.url}`);
    if (running.answer === 'never') return;
    const { status, body } = running.answer ?? respond(running, request, JSON.parse(sent || '{}'));
    reply.statusCode = status;
    reply.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const listener = createServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    (request, reply) => void handle(request, reply),
  );
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const running: TransitServer = {
    url: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    tokens: new Set(),
    role: { id: 'role-of-sallyport', secret: `secret-${randomBytes(9).toString('hex')}` },
    versions: [randomBytes(32)],
    denied: new Set(),
    answer: undefined,
    requests: [],
    async stop() {
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
    },
  };
  return running;
}
