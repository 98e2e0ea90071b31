import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const OPENID: Json = {
  AUTH_OPENID_CLIENT_ID: 'console',
  AUTH_OPENID_CLIENT_SECRET: 'a secret of some length',
  AUTH_OPENID_SCOPES: 'openid',
  AUTH_OPENID_USER_ATTR_MAP: { username: 'sub' },
};
/** Forms of settings that name a metadata address, with the path of their test. */
const FORMS: readonly (readonly [path: string, form: Json])[] = [
  ['openid/testing', { ...OPENID, AUTH_OPENID_ISSUER: 'https://169.254.169.254' }],
  [
    'cas/testing',
    {
      AUTH_CAS: true,
      AUTH_CAS_NAME: 'Example login',
      AUTH_CAS_SERVER_URL: 'https://169.254.169.254/cas',
      AUTH_CAS_VERSION: '3',
      AUTH_CAS_USER_ATTR_MAP: { username: 'user' },
    },
  ],
  [
    'saml/testing',
    {
      AUTH_SAML: true,
      AUTH_SAML_NAME: 'Example login',
      AUTH_SAML_METADATA_URL: 'https://[fd00:ec2::254]/metadata',
      AUTH_SAML_METADATA: '',
      AUTH_SAML_USER_ATTR_MAP: { username: 'uid' },
    },
  ],
  [
    'radius/testing/config',
    {
      AUTH_RADIUS_SERVERS: '169.254.169.254',
      AUTH_RADIUS_SECRET: 'a shared secret',
      AUTH_RADIUS_TIMEOUT: 1,
      AUTH_RADIUS_NAS_IDENTIFIER: 'sallyport',
    },
  ],
];

it.each(FORMS)('refuses an address of a metadata service in %s', async (path, form) => {
  const { status, body } = await admin.post<Json>(`settings/${path}/`, form);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(/metadata service/)]);
});

it.each(['jwks_uri', 'token_endpoint', 'authorization_endpoint'])(
  'refuses an address of a metadata service as the %s of an OpenID provider',
  async (name) => {
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      const issuer = issuerOf(server.address());
      const document = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        [name]: 'https://169.254.169.254/latest/meta-data',
      };
      if (request.url === '/token') response.statusCode = 400;
      const answer = request.url?.startsWith('/.well-known')
        ? document
        : { keys: [{ kty: 'RSA' }], error: 'invalid_grant' };
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const form = { ...OPENID, AUTH_OPENID_ISSUER: issuerOf(server.address()) };
      const { status, body } = await admin.post<Json>('settings/openid/testing/', form);
      expect([status, body.detail]).toEqual([400, expect.stringMatching(/metadata service/)]);
    } finally {
      server.close();
    }
  },
);

const issuerOf = (address: AddressInfo | string | null) =>
  `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
