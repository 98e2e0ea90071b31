import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { StartError, type TransitConfig } from '../../config.ts';
import { authoritiesOf } from '../outgoing.ts';
import { onUnaskedUpgrade } from '../unasked-upgrade.ts';
import type { MasterKey } from './vault.ts';

/** Timeout of one request, from the DNS lookup to the last byte. */
const ANSWER_MS = 10_000;
const ANSWER_BYTES = 262_144;
const KEY_BYTES = 32;
/** Codes of certificate errors in OpenSSL and Node. */
const OF_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/;

type Fields = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly body: Fields;
}

/** A problem of the service that a later start may not have. */
const temporary = (text: string) => new StartError(text, true);

/** Returns where the master key is, for a sentence. */
export const transitPlaceOf = ({ url, mount, key }: TransitConfig): string =>
  `the key ${mount}/${key} of ${url}`;

/** Returns the text of a file that holds one secret. @throws StartError */
function readSecret(variable: string, file: string): string {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (/^[\x21-\x7e]{1,4096}$/.test(text)) return text;
  } catch (error) {
    throw new StartError(
      `${variable} cannot be read: ${(error as NodeJS.ErrnoException).code}. Name a file that the account of the server can read.`,
    );
  }
  throw new StartError(`${variable} names a file that does not hold one word.`);
}

/**
 * Sends one request. The token is in a header, so no address and no error holds it.
 * @throws StartError if the service cannot be reached or trusted
 */
function send(
  { url, namespace, caFile }: TransitConfig,
  {
    method,
    path,
    body,
    token,
  }: Readonly<Record<'method' | 'path', string>> & {
    readonly body: Fields | undefined;
    readonly token: string | undefined;
  },
): Promise<Answer> {
  const text = body && JSON.stringify(body);
  const target = new URL(`/v1/${path}`, url);
  const isTls = target.protocol === 'https:';
  const options = {
    method,
    agent: false,
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: {
      'x-vault-request': 'true',
      ...(token !== undefined && { 'x-vault-token': token }),
      ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      }),
    },
    ...(isTls && {
      ca: authoritiesOf(caFile === undefined ? '' : readAuthority(caFile)),
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2' as const,
    }),
  };
  return new Promise((settle, fail) => {
    const failed = (error: unknown) => fail(asStartError(error, url));
    const outgoing = (isTls ? requestHttps : requestHttp)(target, options, (answer) => {
      readAnswer(answer).then(settle, failed);
    });
    outgoing.once('error', failed);
    onUnaskedUpgrade(outgoing, failed);
    outgoing.end(text);
  });
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(
      `SALLYPORT_VAULT_CA_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}. Example: SALLYPORT_VAULT_CA_FILE='/etc/ssl/certs/company-ca.pem'`,
    );
  }
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const status = answer.statusCode ?? 0;
  try {
    const body: unknown = text === '' ? {} : JSON.parse(text);
    return { status, body: fieldsOf(body) };
  } catch {
    // A proxy in front of the service answers with a page.
    return { status, body: {} };
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

function asStartError(error: unknown, url: string): StartError {
  if (error instanceof StartError) return error;
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (OF_CERTIFICATE.test(String(code)))
    return new StartError(
      `The certificate of ${url} is not trusted (${code}). Name its authority: SALLYPORT_VAULT_CA_FILE='/etc/ssl/certs/company-ca.pem'`,
    );
  const reason =
    name === 'TimeoutError' || name === 'AbortError'
      ? `no answer within ${ANSWER_MS / 1000} seconds`
      : (code ?? message);
  return temporary(
    `The key service ${url} cannot be used: ${reason}. Check SALLYPORT_VAULT_URL, and that the service runs.`,
  );
}

/** Calls the service with a token, and signs in where the configuration has a role. */
class TransitClient {
  readonly #config: TransitConfig;
  /** The token of the role, until the service refuses it. */
  #session: string | undefined;

  constructor(config: TransitConfig) {
    this.#config = config;
  }

  /** Returns `data` of the answer; undefined for an input that the key does not accept. */
  async call(method: 'GET' | 'POST', action: string, body?: Fields): Promise<Fields | undefined> {
    const { mount } = this.#config;
    const path = `${mount}/${action}`;
    const hadSession = this.#session !== undefined;
    const ask = async () => send(this.#config, { method, path, body, token: await this.#token() });
    let answer = await ask();
    // The token of a role ends; the next one may do the same.
    if (answer.status === 403 && hadSession) {
      this.#session = undefined;
      answer = await ask();
    }
    if (answer.status === 400) return undefined;
    this.#assertGood(answer, path);
    return fieldsOf(answer.body.data);
  }

  async #token(): Promise<string> {
    const { token, tokenFile, roleId = '', secretIdFile } = this.#config;
    if (token !== undefined) return token;
    // An agent may renew the file.
    if (tokenFile !== undefined) return readSecret('SALLYPORT_VAULT_TOKEN_FILE', tokenFile);
    this.#session ??= await this.#signIn(roleId, secretIdFile);
    return this.#session;
  }

  async #signIn(role: string, secretIdFile: string | undefined): Promise<string> {
    const path = 'auth/approle/login';
    const secret = secretIdFile && readSecret('SALLYPORT_VAULT_SECRET_ID_FILE', secretIdFile);
    const answer = await send(this.#config, {
      method: 'POST',
      path,
      body: { role_id: role, ...(secret !== undefined && { secret_id: secret }) },
      token: undefined,
    });
    if (answer.status === 400 || answer.status === 403)
      throw new StartError(
        `The key service ${this.#config.url} rejects the role: check SALLYPORT_VAULT_ROLE_ID and SALLYPORT_VAULT_SECRET_ID_FILE.`,
      );
    this.#assertGood(answer, path);
    const { client_token: token } = fieldsOf(answer.body.auth);
    if (typeof token === 'string') return token;
    throw new StartError(`The key service ${this.#config.url} gives the role no token.`);
  }

  #assertGood({ status }: Answer, path: string): void {
    const { url, mount, key } = this.#config;
    if (status >= 200 && status < 300) return;
    if (status === 403)
      throw new StartError(
        `The key service ${url} denies ${path}: the token ended, or its policy lacks this path. See the operator guide, "The master key in Vault".`,
      );
    if (status === 404)
      throw new StartError(
        `The key service ${url} has no ${mount}/${key}. Create it: vault secrets enable -path=${mount} transit; vault write -f ${mount}/keys/${key}`,
      );
    if (status === 503) throw temporary(`The key service ${url} is sealed. Unseal it.`);
    throw temporary(`The key service ${url} answers ${path} with the status ${status}.`);
  }
}

/**
 * Returns the versions of the key as master keys, the latest first. They never leave the service:
 * it wraps and unwraps.
 * @throws StartError if the service, the token or the key cannot be used
 */
export async function readTransitKeys(config: TransitConfig): Promise<readonly MasterKey[]> {
  const client = new TransitClient(config);
  const { mount, key } = config;
  const facts = (await client.call('GET', `keys/${key}`)) ?? {};
  if (facts.supports_encryption !== true || facts.derived === true)
    throw new StartError(
      `${mount}/${key} cannot wrap keys (type ${String(facts.type)}, derived ${String(facts.derived)}). Create a key of the type aes256-gcm96: vault write -f ${mount}/keys/NAME`,
    );
  const latest = Number(facts.latest_version);
  const oldest = Math.max(1, Number(facts.min_decryption_version));
  if (!Number.isSafeInteger(latest) || !(latest >= oldest))
    throw new StartError(`The key service ${config.url} names no version of ${mount}/${key}.`);
  return Array.from({ length: latest - oldest + 1 }, (_, index) =>
    versionOf(client, config, latest - index),
  );
}

function versionOf(
  client: TransitClient,
  { mount, key }: TransitConfig,
  version: number,
): MasterKey {
  return {
    id: `vault:${mount}/${key}:v${version}`,
    bytes: undefined,
    // The context is part of the text: older services and other key types have no context.
    async wrap(bytes, context) {
      const plaintext = Buffer.concat([bytes, Buffer.from(context)]).toString('base64');
      const data = await client.call('POST', `encrypt/${key}`, { plaintext, key_version: version });
      if (typeof data?.ciphertext !== 'string')
        throw new StartError(`The key service does not encrypt with ${mount}/${key}.`);
      return data.ciphertext;
    },
    async unwrap(ciphertext, context) {
      const data = await client.call('POST', `decrypt/${key}`, { ciphertext });
      const plain = Buffer.from(String(data?.plaintext ?? ''), 'base64');
      if (plain.subarray(KEY_BYTES).toString('utf8') !== context || plain.length <= KEY_BYTES)
        throw new Error('this text was wrapped by another key, or for another place');
      return plain.subarray(0, KEY_BYTES);
    },
  };
}

/** Lets the service make the next version of the key. @throws StartError */
export async function rotateTransitKey(config: TransitConfig): Promise<void> {
  await new TransitClient(config).call('POST', `keys/${config.key}/rotate`, {});
}
