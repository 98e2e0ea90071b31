import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAuthorities, requestTimestamp } from '../../platform/timestamp/request.ts';
import { requirePeers } from '../../testing/peers.ts';

requirePeers('openssl');

const folder = mkdtempSync(join(tmpdir(), 'sallyport-openssl-ts-'));
const at = (name: string) => join(folder, name);
const openssl = (...words: string[]) =>
  execFileSync('/usr/bin/openssl', words, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });

const CONFIGURATION = `
[req]
distinguished_name = names
[names]
[ca]
basicConstraints = critical,CA:TRUE
[tsa]
extendedKeyUsage = critical,timeStamping
[authority]
serial = serial
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
`;

/** Makes an authority with a key of this type, with its certificate. */
function makeAuthority(type: readonly string[]): void {
  openssl(
    'req',
    '-x509',
    ...type,
    '-nodes',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Root',
    '-config',
    'openssl.cnf',
    '-extensions',
    'ca',
    '-days',
    '9',
  );
  openssl(
    'req',
    ...type,
    '-nodes',
    '-keyout',
    'tsa.key',
    '-out',
    'tsa.csr',
    '-subj',
    '/CN=Timestamps',
    '-config',
    'openssl.cnf',
  );
  openssl(
    'x509',
    '-req',
    '-in',
    'tsa.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-out',
    'tsa.pem',
    '-extfile',
    'openssl.cnf',
    '-extensions',
    'tsa',
    '-days',
    '9',
  );
}

const server = createServer(async (request, response) => {
  writeFileSync(at('query'), await buffer(request));
  openssl(
    'ts',
    '-reply',
    '-config',
    'openssl.cnf',
    '-section',
    'authority',
    '-queryfile',
    'query',
    '-signer',
    'tsa.pem',
    '-inkey',
    'tsa.key',
    '-sha384',
    '-out',
    'reply',
  );
  response.end(readFileSync(at('reply')));
});
beforeAll(async () => {
  writeFileSync(at('openssl.cnf'), CONFIGURATION);
  writeFileSync(at('serial'), '01');
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ['RSA', ['-newkey', 'rsa:2048']],
  ['ECDSA', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
] as const)('accepts tokens of openssl ts with a key of type %s', async (_, type) => {
  makeAuthority(type);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const authorities = readAuthorities(readFileSync(at('ca.pem'), 'utf8'));
  const text = 'the heads of the logs';
  const { authority, token } = await requestTimestamp({ url, authorities }, text);
  expect(authority).toBe('CN=Timestamps');
  // The program accepts the stored token, too.
  writeFileSync(at('token'), token);
  const digest = createHash('sha256').update(text).digest('hex');
  const verdict = openssl(
    'ts',
    '-verify',
    '-digest',
    digest,
    '-in',
    'token',
    '-token_in',
    '-CAfile',
    'ca.pem',
  );
  expect(verdict).toBeDefined();
});
