import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GUEST_SOCKET_PATH } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const OFFICE = '192.0.2.7';
/** Another address of the same network. */
const MEETING_ROOM = '192.0.2.200';
const HOME = '198.51.100.9';
const REFUSED = 'not from this network: only Office (192.0.2.0/24)';

let world: SshWorld;
/** A second server of the installation. */
let other: TestProgram;
let member: Client;
let rule: string;
let condition: string;
beforeAll(async () => {
  const settings = {
    trustedProxies: ['127.0.0.1'],
    secretKey: randomBytes(32).toString('hex'),
  };
  world = await startSshWorld(settings);
  other = await startTestProgram({ ...settings, databaseUrl: world.test.databaseUrl });
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const account = `assets/system-users/${world.systemUser}/`;
  await world.administrator.patch(account, { sftp_root: 'home' });
  await writeFile(join(world.sshd.home, 'plan'), 'the plan');
  const { body } = await world.administrator.get<Json[]>('perms/asset-permissions/');
  rule = String(body[0]?.id);
  const network = await create('networks', { name: 'Office', networks: ['192.0.2.0/24'] });
  condition = await create('conditions', { networks: [network] });
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});
beforeEach(() => use(condition));

const create = async (path: string, values: Json) => {
  const { status, text, body } = await world.administrator.post(`perms/${path}/`, {
    name: unique('condition'),
    ...values,
  });
  expect(status, text).toBe(201);
  return String(body.id);
};
const use = (id: string | null) =>
  world.administrator.patch(`perms/asset-permissions/${rule}/`, { condition: id });
/** Headers of the member at an address. */
const at = (address: string) => ({ ...member.headers, 'x-forwarded-for': address });
const baseOf = ({ program }: TestProgram) => program.url.replace(/^http/, 'ws').replace(/\/$/, '');

async function open(address: string): Promise<{ terminal: TerminalClient; session: string }> {
  const terminal = await TerminalClient.connect(
    baseOf(world.test),
    { asset: world.asset, system_user: world.systemUser },
    at(address),
  );
  const { session } = await terminal.message('open');
  terminal.type("PS1='rea''dy> '; echo sec''ret\r");
  await terminal.waitFor('secret');
  return { terminal, session };
}
const resume = (session: string, address: string, server = world.test) =>
  TerminalClient.resume(baseOf(server), { session, received: 0 }, at(address));
const isFinished = async (session: string) => {
  const { rows } = await sql<{ is_finished: boolean }>`select is_finished from session
    where id = ${session}`.execute(world.test.db);
  return rows[0]?.is_finished;
};

it('refuses to resume a web terminal at an address that the condition excludes, and shows none of its output', async () => {
  const { terminal, session } = await open(OFFICE);
  for (const server of [world.test, other]) {
    const thief = await resume(session, HOME, server);
    expect(await thief.message('closed')).toMatchObject({
      code: 'connect_condition',
      message: expect.stringContaining(REFUSED),
    });
    expect([thief.output, thief.messages.map(({ type }) => type)]).toEqual(['', ['closed']]);
  }
  // The user at the permitted address keeps the session.
  terminal.type('echo still he""re\r');
  await terminal.waitFor('still here');
  await terminal.close();
});

it('resumes a web terminal at another address that the condition includes, and judges it by that address', async () => {
  const { terminal, session } = await open(OFFICE);
  terminal.socket.terminate();
  for (const [address, server] of [
    [MEETING_ROOM, world.test],
    [OFFICE, other],
    [MEETING_ROOM, other],
  ] as const) {
    const back = await resume(session, address, server);
    await back.message('resumed');
    back.type(`echo back at ${address.replace('.', '.""')}\r`);
    await back.waitFor(`back at ${address}`);
    back.socket.terminate();
  }
  const networks = await create('networks', { networks: [`${OFFICE}/32`] });
  const narrower = await create('conditions', { networks: [networks] });
  await use(narrower);
  await until(async () => (await isFinished(session)) === true, 'the session has ended');
});

it('shows the last output of an ended terminal only at an address from which the user may connect', async () => {
  const { terminal, session } = await open(OFFICE);
  terminal.socket.terminate();
  await world.administrator.post('terminal/tasks/kill-session/', [session]);
  await until(async () => (await isFinished(session)) === true, 'the session has ended');
  const thief = await resume(session, HOME);
  await thief.message('closed');
  expect(thief.output).toBe('');
  const back = await resume(session, MEETING_ROOM);
  expect(await back.message('closed')).toMatchObject({ code: 'session_terminated' });
  expect(back.output).toContain('secret');
});

it('judges each request of an open file connection by its own address', async () => {
  const base = `files/${world.asset}/${world.systemUser}`;
  const office = member.with({ 'x-forwarded-for': OFFICE });
  const home = member.with({ 'x-forwarded-for': HOME });
  const upload = (client: Client, offset: number) =>
    client.send(
      'PUT',
      `${base}/uploads/upload-0001/?path=/new&size=6&offset=${offset}`,
      new Uint8Array(Buffer.from('abc')),
      'application/octet-stream',
    );
  expect((await office.post(`${base}/connect/`)).text).toContain('"open"');
  expect((await upload(office, 0)).status).toBe(200);
  const requests: readonly (readonly [string, string, unknown?])[] = [
    ['GET', `${base}/entries/?path=/`],
    ['GET', `${base}/entry/?path=/plan`],
    ['GET', `${base}/content/?path=/plan`],
    ['GET', `${base}/text/?path=/plan`],
    ['GET', `${base}/zip/?path=/plan`],
    ['GET', `${base}/uploads/upload-0001/?path=/new&size=6`],
    ['DELETE', `${base}/uploads/upload-0001/?path=/new&size=6`],
    ['POST', `${base}/changes/`, { action: 'delete', items: [{ path: '/plan' }] }],
    ['DELETE', `${base}/connect/`],
    ['PUT', `${base}/text/?path=/plan`, { text: 'x', charset: 'utf-8', version: '' }],
  ];
  for (const [method, path, body] of requests) {
    const { status, body: problem, text } = await home.request(method, path, body);
    expect([method, path, status, problem?.code], text).toEqual([
      method,
      path,
      403,
      'connect_condition',
    ]);
  }
  expect((await upload(home, 3)).status).toBe(403);
  expect((await home.post(`${base}/connect/`)).text).toContain('connect_condition');
  // The connection stays open for the permitted address and for another one.
  const moved = member.with({ 'x-forwarded-for': MEETING_ROOM });
  expect((await upload(moved, 3)).status).toBe(200);
  expect((await office.get(`${base}/content/?path=/plan`)).text).toBe('the plan');
  const { rows } = await sql<{ remote_addr: string }>`select remote_addr from ftp_log
    where filename = '/new' order by date_start desc`.execute(world.test.db);
  expect(rows[0]?.remote_addr).toBe(MEETING_ROOM);
});

/** An auditor of the organization, who signed in at an address. */
async function auditorFrom(address: string) {
  const auditor = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'Auditor' }],
  });
  const { body } = await world.test.visitor
    .with({ 'x-forwarded-for': address })
    .post<Json>('authentication/auth/', {
      username: auditor.username,
      password: auditor.password,
    });
  const client = world.test.visitor
    .with({ authorization: `Bearer ${body.token}` })
    .inOrganization(world.organization);
  return {
    watch: (session: string, from: string) =>
      new TerminalClient(`${baseOf(world.test)}/ws/watch/?session=${session}`, {
        ...client.headers,
        'x-forwarded-for': from,
      }),
    signsInAt: async (networks: readonly string[]) => {
      const values = { name: unique('rule'), users: [auditor.id], networks };
      const { status, text } = await world.administrator.post('users/sign-in-rules/', values);
      expect(status, text).toBe(201);
    },
  };
}

it('judges a watcher by the address of its socket, not by that of the sign-in', async () => {
  const { terminal, session } = await open(OFFICE);
  const { watch, signsInAt } = await auditorFrom(HOME);
  const [atHome, inOffice] = [watch(session, HOME), watch(session, OFFICE)];
  await Promise.all([atHome.message('resize'), inOffice.message('resize')]);
  await signsInAt(['192.0.2.0/24']);
  expect(await atHome.message('closed')).toMatchObject({ code: 'session_watch_ended' });
  terminal.type('echo seen in the off""ice\r');
  await inOffice.waitFor('seen in the office');
  const later = watch(session, MEETING_ROOM);
  await later.waitFor('seen in the office');
  expect(atHome.output).not.toContain('seen in the office');
  expect(
    [inOffice, later].flatMap(({ messages }) => messages.map(({ type }) => type)),
  ).not.toContain('closed');
  await Promise.all([atHome, inOffice, later, terminal].map((client) => client.close()));
});

it('judges a guest by the address of each visit, and again when the networks change', async () => {
  await changeSettings([await bearer(world.test), await bearer(other)], 'terminal', {
    TERMINAL_SESSION_INVITATIONS: true,
  });
  const { terminal, session } = await open(OFFICE);
  const user = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'User' }],
  });
  await world.administrator.patch(`perms/asset-permissions/${rule}/`, {
    users: [world.member.id, user.id],
  });
  const guest = (await bearer(world.test, user)).inOrganization(world.organization);
  const { body: invitation, text } = await member
    .with({ 'x-forwarded-for': OFFICE })
    .post<Json>(`terminal/own-sessions/${session}/invitations/`, { may_type: true, minutes: '0' });
  const accept = (address: string) =>
    guest
      .with({ 'x-forwarded-for': address })
      .post<Json>('terminal/invitations/accept/', { secret: invitation.secret });
  expect((await accept(HOME)).status, text).toBeGreaterThanOrEqual(400);
  expect((await accept(OFFICE)).status).toBe(200);
  const visit = (address: string, server: TestProgram) =>
    new TerminalClient(`${baseOf(server)}${GUEST_SOCKET_PATH}?invitation=${invitation.id}`, {
      ...guest.headers,
      'x-forwarded-for': address,
    });
  for (const server of [world.test, other]) {
    const outside = visit(HOME, server);
    await outside.message('closed');
    expect(outside.output).toBe('');
    const inside = visit(MEETING_ROOM, server);
    await inside.waitFor('secret');
    await inside.close();
  }
  const visiting = visit(MEETING_ROOM, other);
  await visiting.waitFor('secret');
  const networks = await create('networks', { networks: [`${OFFICE}/32`] });
  await use(await create('conditions', { networks: [networks] }));
  await visiting.message('closed');
  terminal.type('echo without a gu""est\r');
  await terminal.waitFor('without a guest');
  expect(visiting.output).not.toContain('without a guest');
  await terminal.close();
});
