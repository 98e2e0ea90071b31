import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ERRORS } from '@sallyport/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildUser } from '../testing/builders.ts';
import type { Client } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { createApp } from './app.ts';
import { Refusal } from './problem.ts';
import { publicRoute } from './route.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

describe('a refusal is a code and one sentence in the language of the caller', () => {
  it.each([
    ['en', 'You do not have permission to do this: administrator is required.'],
    ['zh-CN', '您没有权限执行此操作：需要管理员权限。'],
  ])('403 says what is missing, in %s', async (language, detail) => {
    const somebody = (await bearer(test, await buildUser(test.db))).with({ 'accept-language': language });
    const { status, body } = await somebody.get('assets/assets/');
    expect([status, body.code, body.detail]).toEqual([403, 'permission_denied', detail]);
  });

  it('403 names the role above organizations', async () => {
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    expect((await auditor.get('settings/setting/')).body.detail).toBe('You do not have permission to do this: super administrator is required.');
  });

  it('413 says the limit', async () => {
    const body = JSON.stringify({ filler: 'x'.repeat(20_000) });
    const answer = await admin.send('PATCH', 'users/preferences/', body, 'application/json');
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([413, 'body_too_large', 'The body is larger than 16384 bytes.']);
  });

  it('415 says what is understood', async () => {
    const { status, body } = await admin.with({ 'accept-language': 'zh-CN' }).send('POST', 'assets/labels/', '<a/>', 'application/xml');
    expect([status, body.code, body.detail]).toEqual([415, 'unsupported_media_type', '请使用 application/json 发送请求体。']);
  });

  it('409, 429 and 503 tell programs when to come again', async () => {
    const app = await createApp({ log: test.program.app.http.log as never, authenticator: { authenticate: async () => undefined }, trustedProxies: [] });
    publicRoute(app.http, {
      method: 'GET',
      url: '/often/',
      handler: () => {
        throw new Refusal(429, 'too_many_requests', { seconds: 7 });
      },
    });
    publicRoute(app.http, {
      method: 'GET',
      url: '/raced/',
      handler: () => sql`do $$ begin raise exception 'raced' using errcode = 'serialization_failure'; end $$`.execute(test.db),
    });
    publicRoute(app.http, {
      method: 'GET',
      url: '/full/',
      handler: () => sql`do $$ begin raise exception 'full' using errcode = 'too_many_connections'; end $$`.execute(test.db),
    });
    const ask = (url: string) => app.http.inject({ method: 'GET', url, headers: { 'accept-language': 'en' } });
    const often = await ask('/often/');
    expect([often.statusCode, often.headers['retry-after'], often.json().detail]).toEqual([429, '7', 'Too many requests. Try again in 7 seconds.']);
    const raced = await ask('/raced/');
    expect([raced.statusCode, raced.json().code]).toEqual([409, 'conflict']);
    const full = await ask('/full/');
    expect([full.statusCode, full.headers['retry-after'], full.json().code]).toEqual([503, '1', 'unavailable']);
    await app.http.close();
  });
});

describe('a known address with a method that it does not have', () => {
  it.each([
    ['DELETE', 'users/profile/', 'GET, PATCH, PUT'],
    ['POST', 'audits/operate-logs/', 'GET, OPTIONS'],
    ['PATCH', `terminal/commands/${crypto.randomUUID()}/`, 'GET, OPTIONS'],
    ['GET', 'terminal/tasks/kill-session/', 'POST'],
    ['POST', '/ui/anything/at/all', 'GET'],
  ])('%s %s is answered with 405 and the methods there are', async (method, path, allow) => {
    const { status, body, headers } = await admin.request(method, path, method === 'GET' ? undefined : {});
    expect([status, body.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', allow]);
    expect(body.detail).toBe(`Method ${method} is not allowed here.`);
  });

  it.each(['/api/v1/nothing/', '/api/v1/users/', '/apiXhealth/'])('GET %s is not found', async (path) => {
    const { status, body } = await admin.get(path);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });
});

describe('every code', () => {
  const root = resolve(import.meta.dirname, '../../..');
  const sources = ['contract/src', 'server/src', 'web/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && name !== 'errors.ts')
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );

  it.each(Object.entries(ERRORS))('%s is worded in both languages with the same places', (_code, { en, zh }) => {
    const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    expect(en).toMatch(/^[^\u4e00-\u9fff]{3,}$/);
    expect(zh).toMatch(/[\u4e00-\u9fff]/);
    expect(places(zh)).toEqual(places(en));
  });

  it('is used', () => {
    const unused = Object.keys(ERRORS).filter((code) => !sources.some((text) => new RegExp(`['"\`]${code}['"\`]`).test(text)));
    expect(unused).toEqual([]);
  });
});
