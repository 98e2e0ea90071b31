import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { createScimToken, sendScim } from '../../testing/scim.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let security: Client;
let provided: string;
beforeAll(async () => {
  test = await startTestProgram();
  const first = (await bearer(test)).inOrganization('');
  const { token } = await createScimToken(first);
  const created = await sendScim(test, {
    ...{ method: 'POST', path: 'Users', headers: { authorization: `Bearer ${token}` } },
    body: { schemas: [USER], userName: unique('provided'), externalId: unique('id') },
  });
  expect(created.status).toBe(201);
  provided = String(created.body.id);
  const holder = await buildUser(test.db, { duty: 'security' });
  security = (await bearer(test, holder)).inOrganization('');
  const { status } = await first.patch('settings/setting/', { SECURITY_SEPARATE_DUTIES: true });
  expect(status).toBe(200);
});
afterAll(() => test.stop());

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const accounts = async () =>
  (
    await sql`select id, username, email, is_active, source from account order by id`.execute(
      test.db,
    )
  ).rows;

/** Starts the test of SCIM with the name of another server, and returns its status. */
async function testAt(host: string): Promise<number> {
  const sent = request(new URL('/api/v1/settings/scim/testing/', test.program.url), {
    method: 'POST',
    headers: { ...security.headers, host, 'content-type': 'application/json' },
  });
  sent.end('{}');
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode;
}

it('lets the token of a running test read only, also at another server', async () => {
  const before = await accounts();
  const writes = [
    { method: 'POST', path: 'Users', body: { schemas: [USER], userName: unique('mine') } },
    { method: 'PUT', path: `Users/${provided}`, body: { schemas: [USER], userName: 'mine' } },
    {
      ...{ method: 'PATCH', path: `Users/${provided}` },
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'active', value: false }],
      },
    },
    { method: 'DELETE', path: `Users/${provided}` },
    { method: 'POST', path: 'Groups', body: { displayName: unique('mine') } },
    { method: 'POST', path: '.search', body: {} },
  ] as const;
  const statuses: number[] = [];
  const other = createServer((asked, answer) => {
    void (async () => {
      const headers = { authorization: String(asked.headers.authorization) };
      for (const write of writes)
        statuses.push((await sendScim(test, { ...write, headers })).status);
      statuses.push((await sendScim(test, { method: 'GET', path: 'Users', headers })).status);
      answer.writeHead(500).end();
    })();
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await testAt(`127.0.0.1:${port}`);
  other.close();
  expect(statuses.slice(0, 7)).toEqual([403, 403, 403, 403, 403, 403, 200]);
  expect(await accounts()).toEqual(before);
  const { rows } = await sql`select from scim_token where created_by = ''`.execute(test.db);
  expect(rows).toEqual([]);
});

it('passes the test of SCIM while duties are separated', async () => {
  const { host } = new URL(test.program.url);
  expect(await testAt(host)).toBe(200);
});
