import { once } from 'node:events';
import { generateSshKeyPair, type Client as SshClient, ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { freePort } from '../../../testing/free-port.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const TEXT = 'Authorised use only.\n仅限授权使用。';
const key = generateSshKeyPair('test');

let test: TestProgram;
let port: number;
let admin: Client;
let user: BuiltUser;
beforeAll(async () => {
  port = await freePort();
  test = await startTestProgram({ sshPort: port });
  admin = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  await sql`update account set public_key = ${key.public} where id = ${user.id}`.execute(test.db);
});

const set = (values: Json) => admin.patch('settings/setting/', { notices: values });

type Methods = Pick<Parameters<SshClient['connect']>[0], 'authHandler'>;

/** Connects with a key; `answers` answers prompts in their order. */
async function connect({
  answers,
  ...options
}: Methods & { readonly answers?: readonly string[] }) {
  const client = new ssh2.Client();
  const banners: string[] = [];
  const prompts: string[] = [];
  const left = [...(answers ?? [])];
  client.on('error', () => undefined).on('banner', (text) => void banners.push(text));
  client.on('keyboard-interactive', (_name, _text, _language, asked, finish) => {
    prompts.push(...asked.map(({ prompt }) => prompt));
    finish(asked.map(() => left.shift() ?? ''));
  });
  const outcome = Promise.race([
    once(client, 'ready').then(() => 'in' as const),
    once(client, 'close').then(() => 'refused' as const),
  ]);
  client.connect({
    host: '127.0.0.1',
    port,
    username: user.username,
    privateKey: key.private,
    readyTimeout: 0,
    tryKeyboard: answers !== undefined,
    ...options,
  });
  const result = await outcome.catch(() => 'refused' as const);
  if (result === 'in') {
    const closed = once(client, 'close');
    client.end();
    await closed;
  }
  return { result, banners: banners.join(''), prompts };
}

const WITH_KEY: Methods = { authHandler: ['publickey'] };
const WITH_TERMINAL: Methods = { authHandler: ['publickey', 'keyboard-interactive'] };

it('sends the text as a banner before the sign-in, with line ends of terminals', async () => {
  await set({ SIGN_IN_NOTICE: TEXT, SIGN_IN_NOTICE_ACCEPT: false });
  expect(await connect(WITH_KEY)).toEqual({
    result: 'in',
    banners: 'Authorised use only.\r\n仅限授权使用。\r\n',
    prompts: [],
  });
});

it('warns of a password that expires within five days, with a key, too', async () => {
  await set({ SIGN_IN_NOTICE: '', SIGN_IN_NOTICE_ACCEPT: false });
  const age = (days: number) =>
    sql`update account set date_password_last_updated = now() - make_interval(days => ${days})
      where id = ${user.id}`.execute(test.db);
  const words = 'The password expires in 3 days. / 密码将在 3 天后过期。\r\n';
  await age(9_996);
  expect(await connect(WITH_KEY)).toEqual({ result: 'in', banners: words, prompts: [] });
  await age(9_990);
  expect((await connect(WITH_KEY)).banners).toBe('');
});

it('sends no banner without a text', async () => {
  await set({ SIGN_IN_NOTICE: '', SIGN_IN_NOTICE_ACCEPT: false });
  expect((await connect(WITH_KEY)).banners).toBe('');
});

it('asks in a terminal until the user types yes, records it, and asks once', async () => {
  await set({ SIGN_IN_NOTICE: TEXT, SIGN_IN_NOTICE_ACCEPT: true });
  const { result, prompts } = await connect({ ...WITH_TERMINAL, answers: ['no', 'YES'] });
  expect([result, prompts.length]).toEqual(['in', 2]);
  expect(prompts[0]).toContain(TEXT);
  const logs = await admin.get<Page<Json>>(
    `audits/operate-logs/?resource_id=${user.id}&action=accept&limit=5`,
  );
  expect(logs.body.results).toMatchObject([{ remote_addr: '127.0.0.1' }]);
  expect(await connect(WITH_KEY)).toMatchObject({ result: 'in', prompts: [] });
});

it('ends the connection of a user who does not accept', async () => {
  await set({ SIGN_IN_NOTICE: TEXT, SIGN_IN_NOTICE_ACCEPT: true });
  const { result, prompts } = await connect({ ...WITH_TERMINAL, answers: ['', 'n', 'no'] });
  expect([result, prompts.length]).toEqual(['refused', 3]);
});

it('refuses a client that cannot answer, and says what to do', async () => {
  await set({ SIGN_IN_NOTICE: TEXT, SIGN_IN_NOTICE_ACCEPT: true });
  const { result, banners } = await connect(WITH_KEY);
  expect(result).toBe('refused');
  expect(banners).toContain('Accept the text above first: sign in with a browser');
});
