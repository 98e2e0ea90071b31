import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeSettings } from '../testing/change-settings.ts';
import { Client } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

it('answers requests without a language or zone as the settings say', async () => {
  const { 'accept-language': _, ...headers } = admin.headers;
  const plain = new Client(test.program.url, headers);
  const answer = async () => {
    const missing = await plain.get<{ detail: string }>('/nowhere/');
    const profile = await plain.get<{ date_joined: string }>('users/profile/');
    return [missing.body.detail, profile.body.date_joined.slice(-5)];
  };
  expect(await answer()).toEqual(['未找到。', '+0800']);
  const choose = (language: string, zone: string) =>
    changeSettings([admin], 'basic', { SERVER_LANGUAGE: language, SERVER_TIME_ZONE: zone });
  await choose('en', 'UTC');
  expect(await answer()).toEqual(['Not found.', '+0000']);
  await expect(choose('en', 'Europe/Nowhere')).rejects.toThrow('Not a valid time zone');
  await choose('zh', 'Asia/Shanghai');
});

describe('a refusal is in the language of the request', () => {
  it.each([
    ['en', 'This field is required', 'Not found.', 'Sign in to continue.'],
    ['zh', '这个字段是必填项', '未找到。', '请先登录。'],
    ['zh-TW,en', '这个字段是必填项', '未找到。', '请先登录。'],
    ['', '这个字段是必填项', '未找到。', '请先登录。'],
    ['*', '这个字段是必填项', '未找到。', '请先登录。'],
    ['de', 'This field is required', 'Not found.', 'Sign in to continue.'],
    ['de,en-GB;q=0.5', 'This field is required', 'Not found.', 'Sign in to continue.'],
    ['zh;q=0.4, en;q=0.9', 'This field is required', 'Not found.', 'Sign in to continue.'],
    ['en;q=0, zh', '这个字段是必填项', '未找到。', '请先登录。'],
  ])('answers in the language of %j', async (language, required, missing, signIn) => {
    const caller = admin.with({ 'accept-language': language });
    expect((await caller.post('assets/labels/', { value: 'x' })).body).toEqual({
      name: [required],
    });
    const answer = await caller.get(`assets/labels/${crypto.randomUUID()}/`);
    expect(answer.body).toMatchObject({ code: 'not_found', detail: missing });
    expect(
      (await test.visitor.with({ 'accept-language': language }).get('assets/labels/')).body,
    ).toMatchObject({ detail: signIn });
    expect((await caller.get('/nowhere/')).body).toMatchObject({ detail: missing });
    expect(answer.headers.get('content-language')).toBe(
      required.startsWith('This') ? 'en' : 'zh-hans',
    );
  });

  it('prefers the cookie to the header', async () => {
    const caller = admin.with({ 'accept-language': 'en', cookie: 'django_language=zh-hans' });
    expect((await caller.post('assets/labels/', { value: 'x' })).body).toEqual({
      name: ['这个字段是必填项'],
    });
  });
});

it('reports all problems of a body at once, each at its field', async () => {
  const { status, body } = await admin.post('assets/assets/', {
    ip: 'not an address',
    protocols: [],
    is_active: 'maybe',
    surplus: 1,
    admin_user: 'x',
  });
  expect([status, body]).toEqual([
    400,
    {
      surplus: ['Unknown field.'],
      hostname: ['This field is required'],
      ip: ['Enter an IP address or a host name.'],
      protocols: ['This list may not be empty.'],
      is_active: ['Must be true or false.'],
      admin_user: ['"x" is not a valid UUID.'],
      platform: ['This field is required'],
    },
  ]);
});

it('forbids caches to store answers', async () => {
  for (const path of ['users/profile/', 'settings/public/', '/nowhere/'])
    expect((await admin.get(path)).headers.get('cache-control')).toBe('no-store');
});
