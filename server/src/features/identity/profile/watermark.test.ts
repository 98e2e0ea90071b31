import type { Profile } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const set = (WATERMARK: string) => admin.patch('settings/setting/', { notices: { WATERMARK } });

it('gives pages the name and the address of their user when the watermark is on', async () => {
  const user = await buildUser(test.db);
  const member = await bearer(test, user);
  const mark = async () => (await member.get<Profile>('users/profile/')).body.watermark;
  expect(await mark()).toBeNull();
  expect((await set('strong')).status).toBe(200);
  const { body } = await member.get<Profile>('users/profile/');
  expect(body.watermark).toEqual({
    text: `${body.name}(${user.username}) 127.0.0.1`,
    strength: 'strong',
  });
  expect((await set('off')).status).toBe(200);
  expect(await mark()).toBeNull();
});

it('rejects an unknown strength, and changes by users who are no administrators', async () => {
  const { status, body } = await set('huge');
  expect([status, Object.keys(body.notices as Json)]).toEqual([400, ['WATERMARK']]);
  const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
  const change = { notices: { WATERMARK: 'light' } };
  expect((await auditor.patch('settings/setting/', change)).status).toBe(403);
});
