import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
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

const host = (change: object) => ({
  hostname: unique('old'),
  ip: '10.0.0.9',
  platform: 'Linux',
  ...change,
});

it.each([
  [{ protocol: 'ssh', port: 2200 }, ['ssh/2200']],
  [{ protocol: 'rdp', port: '3389' }, ['rdp/3389']],
  [{ port: 2222 }, ['ssh/2222']],
  [{ protocol: 'telnet' }, ['telnet/22']],
  [{ protocols: ['ssh/22', 'vnc/5901'], protocol: 'ssh', port: 2200 }, ['ssh/22', 'vnc/5901']],
  [{}, ['ssh/22']],
])('creates an asset with the protocols of %j', async (change, protocols) => {
  expect(await admin.post('assets/assets/', host(change))).toMatchObject({
    status: 201,
    body: { protocols },
  });
});

it('changes the protocols of an asset by protocol and port', async () => {
  const { body } = await admin.post<Json>('assets/assets/', host({}));
  expect(
    await admin.patch(`assets/assets/${body.id}/`, { protocol: 'ssh', port: 2022 }),
  ).toMatchObject({ status: 200, body: { protocols: ['ssh/2022'] } });
  expect(await admin.patch(`assets/assets/${body.id}/`, { comment: 'x' })).toMatchObject({
    status: 200,
    body: { protocols: ['ssh/2022'] },
  });
});

it.each([
  [{ protocol: 'gopher', port: 70 }, 'protocol'],
  [{ protocol: ['ssh'], port: 22 }, 'protocol'],
  [{ protocol: 'ssh', port: 'many' }, 'port'],
  [{ protocol: 'ssh', port: {} }, 'port'],
  [{ protocol: 'ssh', port: 70_000 }, 'protocol'],
])('rejects %j with the name of the field', async (change, field) => {
  const { status, body } = await admin.post<Json>('assets/assets/', host(change));
  expect([status, Object.keys(body)]).toEqual([400, [field]]);
});
