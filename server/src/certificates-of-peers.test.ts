import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ERRORS, type ErrorCode, type Language } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from './testing/builders.ts';
import { EXPIRED, makeCertificates, NOT_YET_VALID } from './testing/certificates.ts';
import type { Client, Json } from './testing/client.ts';
import { startTlsServer } from './testing/services/start-tls-server.ts';
import { bearer } from './testing/sign-in.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

/** A TLS server of each kind of certificate. Clients refuse it before their own protocol begins. */
const SERVERS: readonly (readonly [
  name: string,
  code: ErrorCode,
  names?: string | undefined,
  days?: typeof EXPIRED,
])[] = [
  ['expired', 'connect_certificate_expired', undefined, EXPIRED],
  ['early', 'connect_certificate_early', undefined, NOT_YET_VALID],
  ['of another name', 'connect_certificate_name', 'IP:192.0.2.7,DNS:other.example.com'],
  ['of an unknown authority', 'connect_certificate_untrusted'],
];
const OTHERS = getCACertificates('default');

let test: TestProgram;
let admin: Client;
let folder: string;
type Kind = 'tls' | 'smtp' | 'ldap';
type Started = Readonly<Record<Kind, { readonly server: Server; readonly port: number }>>;
const servers = new Map<ErrorCode, Started>();
let authorities = '';

async function startServer([, code, names, days]: (typeof SERVERS)[number]): Promise<void> {
  const files = await makeCertificates(await mkdtemp(join(folder, 'certificate-')), names, days);
  const options = { cert: readFileSync(files.certificate), key: readFileSync(files.key) };
  const server = createServer(options, (socket) => socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.set(code, {
    tls: { server, port: (server.address() as AddressInfo).port },
    smtp: await startTlsServer('smtp', options),
    ldap: await startTlsServer('ldap', options),
  });
  if (code !== 'connect_certificate_untrusted')
    authorities += readFileSync(files.authority, 'utf8');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-certificates-'));
  for (const one of SERVERS) await startServer(one);
  setDefaultCACertificates([...OTHERS, ...authorities.split(/(?<=END CERTIFICATE-----\n?)(?=-)/)]);
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(async () => {
  await test?.stop();
  setDefaultCACertificates(OTHERS);
  for (const { tls, smtp, ldap } of servers.values())
    for (const { server } of [tls, smtp, ldap]) server.close();
  await rm(folder, { recursive: true });
});

type Ask = (client: Client, port: number) => Promise<{ readonly text: string }>;

const MAP = { username: 'uid', name: 'cn', email: 'mail' };
/** Creates an object and runs its test. */
const created =
  (path: string, action: 'test' | 'test-connective', bodyOf: (port: number) => Json): Ask =>
  async (client, port) => {
    const answer = await client.post<Json>(path, { name: unique('peer'), ...bodyOf(port) });
    expect(answer.status, answer.text).toBe(201);
    const at = `${path}${answer.body.id}/${action}/`;
    return action === 'test' ? client.post(at, {}) : client.get(at);
  };

const mail =
  (how: 'EMAIL_USE_SSL' | 'EMAIL_USE_TLS'): Ask =>
  (client, port) =>
    client.post('settings/mail/testing/', {
      EMAIL_HOST: '127.0.0.1',
      EMAIL_PORT: String(port),
      EMAIL_HOST_USER: 'robot@example.com',
      EMAIL_HOST_PASSWORD: 'secret',
      EMAIL_RECIPIENT: 'ops@example.com',
      [how]: true,
    });
const ldap =
  (scheme: 'ldap' | 'ldaps'): Ask =>
  (client, port) =>
    client.post('settings/ldap/testing/config/', {
      AUTH_LDAP: true,
      AUTH_LDAP_SERVER_URI: `${scheme}://127.0.0.1:${port}`,
      AUTH_LDAP_START_TLS: scheme === 'ldap',
      AUTH_LDAP_BIND_DN: 'cn=reader',
      AUTH_LDAP_BIND_PASSWORD: 'secret',
      AUTH_LDAP_SEARCH_OU: 'dc=example,dc=com',
      AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
      AUTH_LDAP_USER_ATTR_MAP: MAP,
    });

/** Tests of peers that administrators run, by peer. */
const PEERS: Readonly<Record<string, Ask>> = {
  'mail over TLS': mail('EMAIL_USE_SSL'),
  'mail by STARTTLS': mail('EMAIL_USE_TLS'),
  'ldap over TLS': ldap('ldaps'),
  'ldap by StartTLS': ldap('ldap'),
  openid: (client, port) =>
    client.post('settings/openid/testing/', {
      AUTH_OPENID_ISSUER: `https://127.0.0.1:${port}`,
      AUTH_OPENID_CLIENT_ID: 'sallyport',
      AUTH_OPENID_CLIENT_SECRET: 'secret',
      AUTH_OPENID_SCOPES: 'openid profile email',
      AUTH_OPENID_USER_ATTR_MAP: MAP,
    }),
  saml: (client, port) =>
    client.post('settings/saml/testing/', {
      AUTH_SAML_METADATA_URL: `https://127.0.0.1:${port}/metadata`,
      AUTH_SAML_METADATA: '',
      AUTH_SAML_ENTITY_ID: '',
      AUTH_SAML_USER_ATTR_MAP: MAP,
    }),
  cas: (client, port) =>
    client.post('settings/cas/testing/', {
      AUTH_CAS_SERVER_URL: `https://127.0.0.1:${port}/cas`,
      AUTH_CAS_VERSION: '3',
      AUTH_CAS_USER_ATTR_MAP: MAP,
    }),
  bucket: created('terminal/replay-storages/', 'test-connective', (port) => ({
    type: 's3',
    bucket: 'recordings',
    endpoint: `https://127.0.0.1:${port}`,
    path_style: true,
    access_key: 'key',
    secret_key: 'secret',
  })),
  elasticsearch: created('terminal/command-storages/', 'test-connective', (port) => ({
    type: 'es',
    hosts: `https://127.0.0.1:${port}`,
    index: unique('commands').toLowerCase(),
    username: 'elastic',
    password: 'secret',
  })),
  webhook: created('audits/event-receivers/', 'test', (port) => ({
    type: 'webhook',
    url: `https://127.0.0.1:${port}/events`,
    secret: 'a secret of the webhook',
  })),
  syslog: created('audits/event-receivers/', 'test', (port) => ({
    type: 'syslog',
    host: '127.0.0.1',
    port,
  })),
};

const KINDS: Readonly<Record<string, Kind>> = {
  'mail by STARTTLS': 'smtp',
  'ldap by StartTLS': 'ldap',
};

/** The part of a sentence after the name of the peer. */
function partOf(code: ErrorCode, language: Language): string {
  const text: string = ERRORS[code][language];
  return text.split('{host}')[1]?.split(/\{(?:names|date)\}/)[0] ?? '';
}

/** The end or the beginning in the sentence. */
const DATED: Partial<Record<ErrorCode, Readonly<Record<Language, RegExp>>>> = {
  connect_certificate_expired: {
    en: /\(valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC\)/,
    zh: /（有效期至 \d{4}-\d\d-\d\d \d\d:\d\d UTC）/,
  },
  connect_certificate_early: {
    en: /\(valid from \d{4}-\d\d-\d\d \d\d:\d\d UTC\)/,
    zh: /（生效时间 \d{4}-\d\d-\d\d \d\d:\d\d UTC）/,
  },
};

const CASES = Object.keys(PEERS).flatMap((peer) =>
  SERVERS.map(([name, code]) => [peer, name, code] as const),
);

it.each(CASES)('tells the test of %s that its certificate is %s', async (peer, _name, code) => {
  const ask = PEERS[peer] as Ask;
  const { port } = (servers.get(code) as Started)[KINDS[peer] ?? 'tls'];
  for (const language of ['en', 'zh'] as const) {
    const { text } = await ask(admin.with({ 'accept-language': language }), port);
    expect(text, language).toContain(partOf(code, language));
    expect(text, language).not.toMatch(/\{(?:host|names|date)\}/);
    const date = DATED[code]?.[language];
    if (date) expect(text, language).toMatch(date);
    if (code === 'connect_certificate_name') expect(text).toContain('192.0.2.7');
  }
});
