import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { createApp } from './app.ts';
import { publicRoute } from './route.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

it.each([
  ['a page', 200, '/ui/'],
  ['the sign-in page', 200, '/core/auth/login/'],
  ['a page of desktops', 200, '/luna/rdp/'],
  ['an asset of the pages', 200, '/favicon.svg'],
  ['an answer of the API', 200, 'assets/labels/'],
  ['an export', 200, 'assets/labels/?format=csv'],
  ['a public answer', 200, '/api/health/'],
  ['a download', 200, '/download/sallyctl.mjs'],
  ['the API description', 200, '/api/docs/'],
  ['an unknown path', 404, '/api/v1/nothing/'],
  ['a refused byte', 400, '/api/v1/assets/labels/%00/'],
])('keeps other sites apart with %s', async (_what, status, path) => {
  const answer = await admin.get(path);
  expect(answer.status).toBe(status);
  const of = (name: string) => answer.headers.get(name);
  expect([of('cross-origin-opener-policy'), of('cross-origin-resource-policy')]).toEqual([
    'same-origin',
    'same-origin',
  ]);
  expect(of('permissions-policy')).toMatch(/\bcamera=\(\), .*\bmicrophone=\(\)/);
  // Pages copy, paste, fill the screen and sign in with passkeys.
  expect(of('permissions-policy')).not.toMatch(/clipboard|fullscreen|publickey/);
  expect([of('x-content-type-options'), of('referrer-policy')]).toEqual(['nosniff', 'same-origin']);
});

it('sends the headers with an answer to a visitor without a sign-in', async () => {
  const { status, headers } = await test.visitor.get('assets/labels/');
  expect([status, headers.get('cross-origin-resource-policy')]).toEqual([401, 'same-origin']);
});

it('leaves the opener policy out of a sandboxed page, which browsers would not show', async () => {
  const { headers } = await admin.get('terminal/commands/report/?format=html');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain('sandbox');
  expect(headers.get('cross-origin-opener-policy')).toBeNull();
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
});

it('sends the headers and a code with its refusals while it stops', async () => {
  const { http } = await createApp({
    log: test.program.app.http.log as never,
    authenticator: { authenticate: async () => undefined },
    trustedProxies: [],
  });
  publicRoute(http, { method: 'GET', url: '/here/', handler: () => ({ is: 'here' }) });
  const stopping = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  http.addHook('preClose', () => {
    stopping.resolve();
    return answered.promise;
  });
  const url = `${await http.listen({ host: '127.0.0.1', port: 0 })}/here/`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (language: string) => {
    const sent = request(url, { agent, headers: { 'accept-language': language } }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { answer, body: await text(answer) };
  };
  expect((await ask('en')).answer.statusCode).toBe(200);
  const closed = http.close();
  await stopping.promise;
  const { answer, body } = await ask('zh');
  answered.resolve();
  await closed;
  agent.destroy();
  expect([answer.statusCode, JSON.parse(body)]).toMatchObject([
    503,
    { code: 'unavailable', detail: expect.stringContaining('正在启动或停止') },
  ]);
  expect(answer.headers).toMatchObject({
    ...SECURITY_HEADERS,
    connection: 'close',
    'retry-after': '1',
    'x-error-code': 'unavailable',
  });
});
