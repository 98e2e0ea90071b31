import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RESOURCES, type Resource } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const HOSTS = [
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '[::ffff:169.254.169.254]',
  '[fd00:ec2::254]',
  '100.100.100.200',
  'metadata.google.internal',
];
const MAP = { username: 'user', name: 'name', email: 'mail' };
const OPENID = {
  AUTH_OPENID_CLIENT_ID: 'sallyport',
  AUTH_OPENID_CLIENT_SECRET: 'some secret of a client',
  AUTH_OPENID_SCOPES: 'openid',
  AUTH_OPENID_USER_ATTR_MAP: MAP,
};

interface Form {
  readonly category: string;
  readonly field: string;
  readonly path: string;
  readonly others: Json;
  readonly write: (host: string) => string;
}
const FORMS: readonly Form[] = [
  {
    category: 'email',
    field: 'EMAIL_HOST',
    path: 'settings/mail/testing/',
    others: { EMAIL_PORT: '25', EMAIL_RECIPIENT: 'li.wei@example.com' },
    write: (host) => host,
  },
  {
    category: 'ldap',
    field: 'AUTH_LDAP_SERVER_URI',
    path: 'settings/ldap/testing/config/',
    others: {
      AUTH_LDAP_SEARCH_OU: 'ou=x',
      AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
      AUTH_LDAP_USER_ATTR_MAP: MAP,
    },
    write: (host) => `ldap://${host}:389`,
  },
  {
    category: 'openid',
    field: 'AUTH_OPENID_ISSUER',
    path: 'settings/openid/testing/',
    others: OPENID,
    write: (host) => `https://${host}/`,
  },
  {
    category: 'cas',
    field: 'AUTH_CAS_SERVER_URL',
    path: 'settings/cas/testing/',
    others: { AUTH_CAS_VERSION: '3', AUTH_CAS_USER_ATTR_MAP: MAP },
    write: (host) => `https://${host}/cas`,
  },
  {
    category: 'saml',
    field: 'AUTH_SAML_METADATA_URL',
    path: 'settings/saml/testing/',
    others: { AUTH_SAML_USER_ATTR_MAP: MAP },
    write: (host) => `https://${host}/metadata`,
  },
  {
    category: 'radius',
    field: 'AUTH_RADIUS_SERVERS',
    path: 'settings/radius/testing/config/',
    others: { AUTH_RADIUS_SECRET: 'some shared secret', AUTH_RADIUS_NAS_IDENTIFIER: 'sallyport' },
    write: (host) => `radius.example.com, ${host}:1812`,
  },
];
const REASON = 'Must not be an address of a cloud’s metadata service.';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

describe.each(FORMS)('$field', ({ category, field, path, others, write }) => {
  it.each(HOSTS)('rejects %s when the settings are saved', async (host) => {
    const before = (await admin.get<Json>('settings/setting/')).body;
    const body = { [category]: { ...others, [field]: write(host) } };
    const { status, text } = await admin.put('settings/setting/', body);
    expect([status, text]).toEqual([400, expect.stringContaining(REASON)]);
    expect(text).toContain(field);
    expect((await admin.get<Json>('settings/setting/')).body).toEqual(before);
  });

  it.each(HOSTS)('rejects %s when the connection is tested', async (host) => {
    const { status, body } = await admin.post<Json>(path, { ...others, [field]: write(host) });
    expect([status, body]).toEqual([400, { [field]: [REASON] }]);
  });
});

const FIELDS: readonly [resource: Resource, field: string][] = RESOURCES.flatMap((resource) =>
  Object.entries(resource.fields).flatMap(([name, field]): [Resource, string][] =>
    'isService' in field && field.isService === true ? [[resource, name]] : [],
  ),
);
/** These fields take a host; the others take a URL. */
const BARE = ['host', 'endpoint_suffix'];

it('has resources with addresses of services', () =>
  expect(FIELDS.map(([{ name }, field]) => `${name}.${field}`)).toEqual(
    expect.arrayContaining([
      'replay_storage.endpoint',
      'command_storage.hosts',
      'cloud_account.endpoint',
      'event_receiver.host',
      'event_receiver.url',
    ]),
  ));

describe.each(FIELDS.map(([resource, field]) => ({ ...resource, field })))(
  '$name.$field',
  ({ path, field }) => {
    it.each(HOSTS)('rejects %s when it is saved', async (host) => {
      const before = await admin.get<Json>(`${path}/`);
      const address = BARE.includes(field) ? host.replace(/^\[|\]$/g, '') : `https://${host}/`;
      const { status, body } = await admin.post<Json>(`${path}/`, { [field]: address });
      expect(status).toBe(400);
      // Its format takes no IPv4 address inside an IPv6 one, so that host has another reason.
      expect(body[field]).toEqual([expect.any(String)]);
      if (field !== 'endpoint_suffix') expect(body[field]).toEqual([REASON]);
      expect((await admin.get<Json>(`${path}/`)).body).toEqual(before.body);
    });
  },
);

it('says why in Chinese', async () => {
  const { body } = await admin
    .with({ 'accept-language': 'zh' })
    .post<Json>('audits/event-receivers/', { url: 'http://metadata/' });
  expect(body.url).toEqual(['不能是云平台元数据服务的地址。']);
});

describe('an endpoint in the discovery document', () => {
  it.each([
    'authorization_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
    'jwks_uri',
    'end_session_endpoint',
  ])('rejects the provider by the name of %s when that is a metadata address', async (name) => {
    const server = createServer((_request, response) => {
      const { port } = server.address() as AddressInfo;
      const issuer = `http://127.0.0.1:${port}`;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          [name]: 'http://169.254.169.254/latest/meta-data/',
        }),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const { status, body } = await admin.post<Json>('settings/openid/testing/', {
        ...OPENID,
        AUTH_OPENID_ISSUER: `http://127.0.0.1:${port}`,
      });
      expect(status).toBe(400);
      expect(body.detail).toMatch(
        new RegExp(`^Discovery failed: ${name}: 169\\.254\\.169\\.254 is an address of a cloud`),
      );
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
