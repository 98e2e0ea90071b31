#!/usr/bin/env bash
# Good guess: a relying party that caches the keys of a provider fetches them again when a token names a key that it
# does not know; that is what the `kid` is for (OpenID Connect Core 1.0, section 10.1.1), so a provider may change its
# key at any time.
#
# What happens: for 60 seconds after openid-client has fetched the keys, it refuses tokens with an unknown `kid`
# without asking the provider: "no applicable keys found". A new key under the old name is worse: its tokens fail for
# 300 seconds, because no `kid` is missing. No option changes the two times. With the default settings nothing of this
# happens, as no signature of the token endpoint is verified then.
#
# openid-client 6.8.9 with oauth4webapi 3.8.8 (npm), Node 20 or newer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent openid-client@6.8.9 oauth4webapi@3.8.8
cat >run.mjs <<'JS'
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import * as client from 'openid-client';

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
let key;
let fetches = 0;
const useKey = (kid) => {
  key = { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
};
const server = createServer((request, response) => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: 'app', sub: 'zhang', iat: now, exp: now + 60 };
  const signed = `${encode({ alg: 'RS256', kid: key.kid })}.${encode(claims)}`;
  const token = `${signed}.${sign('sha256', Buffer.from(signed), key.privateKey).toString('base64url')}`;
  if (request.url === '/keys') fetches++;
  const answers = {
    '/keys': { keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, use: 'sig' }] },
    '/token': { access_token: 'a', token_type: 'Bearer', id_token: token },
  };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answers[request.url] ?? {}));
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const issuer = `http://127.0.0.1:${server.address().port}`;
const config = new client.Configuration(
  { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` }, 'app', 'secret',
);
client.allowInsecureRequests(config);
client.enableNonRepudiationChecks(config);
const signIn = () =>
  client
    .authorizationCodeGrant(config, new URL(`${issuer}/callback?code=1`), { idTokenExpected: true })
    .then(() => 'signed in', (error) => `${error.message} (${error.cause?.message ?? ''})`);

const seen = [];
for (const [name, kid] of [['first key', 'one'], ['another key', 'two'], ['a new key of the first name', 'one']]) {
  useKey(kid);
  seen.push([name, await signIn(), fetches]);
}
server.close();
const { version } = JSON.parse(readFileSync('node_modules/openid-client/package.json', 'utf8'));
console.log(`openid-client ${version}; each sign-in right after the one before`);
for (const [name, result, count] of seen) console.log(`  ${name}: ${result}; keys fetched ${count} time(s) so far`);
const [first, second, third] = seen;
const isSame = first[1] === 'signed in' && [second, third].every(([, result, count]) => result !== 'signed in' && count === 1);
process.exit(isSame ? 0 : 1);
JS
timeout 60 node run.mjs
