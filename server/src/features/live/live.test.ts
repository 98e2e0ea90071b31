import { randomUUID } from 'node:crypto';
import type { LiveMessage } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer, browser } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, switchingOff } from '../change-control/testing/scene.ts';
import { createSessionRows } from '../sessions/index.ts';
import { Pending } from './news.ts';

let test: TestProgram;
/** Time at which the server started to listen for changes. */
let begun: number;
let here: string;
let there: string;
let li: BuiltUser;
let admin: Client;
let stranger: Client;
beforeAll(async () => {
  test = await startTestProgram({ trustedProxies: ['127.0.0.1'] });
  begun = performance.now();
  [here, there] = [await buildOrganization(test.db), await buildOrganization(test.db)];
  li = await buildUser(test.db, { memberOf: [{ organization: here, role: 'Admin' }] });
  admin = (await bearer(test, li)).inOrganization(here);
  stranger = await signInMember(test, there);
});
afterAll(() => test.stop());

/** Opens the live socket and collects its messages. */
async function listen(client: Client, age = '') {
  const url = new URL(`/ws/live/?age=${age}`, client.url);
  url.protocol = 'ws:';
  const socket = new WebSocket(url, { headers: { ...client.headers } });
  const messages: LiveMessage[] = [];
  let closed: number | undefined;
  socket.on('message', (data) => messages.push(JSON.parse(String(data)) as LiveMessage));
  socket.on('close', (code) => {
    closed = code;
  });
  await new Promise((settle, refuse) => {
    socket.on('open', settle);
    socket.on('error', refuse);
  });
  const heard = (resource: string) =>
    messages.flatMap((message) =>
      message.type === 'changed' ? (message.resources?.[resource] ?? []) : [],
    );
  const resources = () =>
    messages.flatMap((message) =>
      message.type === 'changed' ? Object.keys(message.resources ?? {}) : [],
    );
  return {
    socket,
    messages,
    heard,
    resources,
    gone: () => until(() => closed !== undefined, 'the socket is closed'),
  };
}
/**
 * The age of a page that was loaded just after the server started. All changes since then are
 * known.
 */
const age = () => String(Math.floor(performance.now() - begun));
const createLabel = async (client: Client) =>
  String((await client.post<Json>('assets/labels/', { name: unique('live'), value: 'x' })).body.id);

describe('the live channel', () => {
  it('judges a console by the address of its socket, not by that of the sign-in', async () => {
    const user = await buildUser(test.db, { memberOf: [{ organization: here, role: 'Admin' }] });
    const client = (await bearer(test, user)).inOrganization(here);
    const at = (address: string) => listen(client.with({ 'x-forwarded-for': address }));
    const [home, office] = [await at('198.51.100.9'), await at('192.0.2.7')];
    const id = String(
      (
        await (
          await bearer(test)
        ).post<Json>('users/sign-in-rules/', {
          ...{ name: unique('rule'), users: [user.id], networks: ['192.0.2.0/24'] },
        })
      ).body.id,
    );
    await until(async () => {
      await createLabel(admin);
      return home.messages.some(({ type }) => type === 'closed');
    }, 'the console at the excluded address is closed');
    const before = office.heard('label').length;
    await until(async () => {
      await createLabel(admin);
      return office.heard('label').length > before + 1;
    }, 'the console at the permitted address hears more');
    expect(home.messages.at(-1)).toEqual({ type: 'closed', code: 'not_authenticated' });
    office.socket.close();
    await (await bearer(test)).delete(`users/sign-in-rules/${id}/`);
  });

  it('names the changes of another user to users with access there only', async () => {
    const superuser = await bearer(test);
    const ears = {
      colleague: await listen(await signInMember(test, here)),
      member: await listen(await signInMember(test, here, 'User')),
      auditor: await listen(await signInMember(test, here, 'Auditor')),
      stranger: await listen(stranger),
      installation: await listen(superuser),
      installationHere: await listen(superuser.inOrganization(here)),
    };
    const id = await createLabel(admin);
    await admin.patch(`assets/labels/${id}/`, { value: 'y' });
    await until(
      () =>
        ears.colleague.heard('label').includes(id) &&
        ears.installationHere.heard('label').includes(id),
      'the news',
    );
    // End mark: this change of a platform reaches all listeners after the earlier ones.
    const platform = String(
      (
        await superuser.post<Json>('assets/platforms/', {
          name: unique('P'),
          base: 'Linux',
          charset: 'utf8',
        })
      ).body.id,
    );
    for (const name of ['colleague', 'stranger', 'installation'] as const)
      await until(() => ears[name].heard('platform').includes(platform), name);
    expect(ears.stranger.resources()).toEqual(['platform']);
    expect(ears.installation.heard('label')).toEqual([]);
    for (const name of ['member', 'auditor'] as const)
      expect([name, ears[name].resources().filter((one) => one === 'label')]).toEqual([name, []]);
    for (const { socket } of Object.values(ears)) socket.terminate();
  });

  it('names proposed change sets, access requests and notifications to administrators there', async () => {
    const scene = await buildScene(test);
    const { organization, proposer } = scene;
    const requester = await signInMember(test, organization, 'User');
    const ears = {
      decider: await listen(scene.decider),
      member: await listen(await signInMember(test, organization, 'User')),
      auditor: await listen(await signInMember(test, organization, 'Auditor')),
      stranger: await listen(stranger),
    };
    const { id } = await proposed(proposer, [switchingOff(scene)]);
    await until(() => ears.decider.heard('change_set').includes(id), 'the proposal');
    await until(() => ears.decider.resources().includes('notification'), 'the notification');
    expect((await answer(scene.decider, { id }, 'reject')).status).toBe(200);
    const request = await requester.post<Json>('tickets/request-asset-perm/', {
      org_id: organization,
      hostname: 'web-1',
      title: unique('Night import'),
      body: 'It failed',
    });
    expect(request.status, request.text).toBe(201);
    await until(() => ears.decider.resources().includes('ticket'), 'the request');
    // End mark: this change of a platform reaches administrators after the earlier ones.
    const mark = await (await bearer(test)).post<Json>('assets/platforms/', {
      name: unique('P'),
      base: 'Linux',
      charset: 'utf8',
    });
    expect(mark.status).toBe(201);
    for (const name of ['decider', 'stranger'] as const)
      await until(() => ears[name].resources().includes('platform'), name);
    for (const name of ['member', 'auditor', 'stranger'] as const)
      expect([name, ears[name].resources().includes('change_set')]).toEqual([name, false]);
    for (const { socket } of Object.values(ears)) socket.terminate();
  });

  it('names ended sessions to users with access in their organization, except sessions of the self-test', async () => {
    const ears = {
      admin: await listen(admin),
      auditor: await listen(await signInMember(test, here, 'Auditor')),
      member: await listen(await signInMember(test, here, 'User')),
      stranger: await listen(stranger),
    };
    const rows = createSessionRows(test.db, 'a server of the test');
    const end = async (organizationId: string, isCanary: boolean) => {
      const id = randomUUID();
      const names = {
        user: 'li',
        asset: 'web',
        systemUser: 'root',
        userId: li.id,
        assetId: randomUUID(),
        systemUserId: randomUUID(),
      };
      const how = {
        loginFrom: 'WT',
        remoteAddress: null,
        protocol: 'ssh',
        secondFactor: 'none',
        dateStart: new Date(),
        isCanary,
      } as const;
      await rows.create({ id, organizationId, ...names, ...how });
      await rows.finish(id, {
        dateEnd: new Date(),
        reason: 'session_finished',
        success: true,
        replayState: 'none',
      });
      return id;
    };
    await end(here, true);
    const own = await end(here, false);
    const foreign = await end(there, false);
    for (const name of ['admin', 'auditor'] as const)
      await until(() => ears[name].heard('session').includes(own), name);
    await until(
      () => ears.stranger.resources().includes('session'),
      'the news of the other organization',
    );
    expect([
      ears.admin.heard('session'),
      ears.auditor.heard('session'),
      ears.stranger.heard('session'),
    ]).toEqual([[own], [own], [foreign]]);
    // A later change marks the end.
    const platform = String(
      (
        await (
          await bearer(test)
        ).post<Json>('assets/platforms/', { name: unique('P'), base: 'Linux', charset: 'utf8' })
      ).body.id,
    );
    await until(() => ears.admin.heard('platform').includes(platform), 'the end');
    expect(ears.member.resources()).not.toContain('session');
    for (const { socket } of Object.values(ears)) socket.terminate();
  });

  it('reports nothing after a rollback', async () => {
    const ears = await listen(admin);
    await admin.post('assets/labels/?dry_run=1', [{ name: unique('dry'), value: 'x' }]);
    await admin.post('assets/labels/', { name: '', value: '' });
    const id = await createLabel(admin);
    await until(() => ears.heard('label').length > 0, 'the news');
    expect(ears.heard('label')).toEqual([id]);
    ears.socket.terminate();
  });

  it('reports changes of users to administrators of their organizations only', async () => {
    const person = await buildUser(test.db, { memberOf: [{ organization: here, role: 'User' }] });
    const [own, foreign] = [await listen(admin), await listen(stranger)];
    const superuser = await bearer(test);
    expect(
      (await superuser.patch(`users/users/${person.id}/`, { comment: unique('seen') })).status,
    ).toBe(200);
    await until(() => own.heard('user').includes(person.id), 'the news');
    const id = await createLabel(stranger);
    await until(() => foreign.heard('label').includes(id), 'the end');
    expect(foreign.heard('user')).toEqual([]);
    for (const { socket } of [own, foreign]) socket.terminate();
  });

  it('rejects sockets without a sign-in or from a foreign page', async () => {
    await expect(listen(test.visitor)).rejects.toThrow('401');
    const page = await browser(test, li);
    await expect(listen(page.with({ origin: 'https://elsewhere.example' }))).rejects.toThrow('403');
    (await listen(page.with({ origin: new URL(page.url).origin }))).socket.terminate();
  });

  it('closes when the sign-in ends or the rights change', async () => {
    const page = (await browser(test, li)).inOrganization(here);
    const ears = await listen(page.with({ origin: new URL(page.url).origin }));
    await page.post('/core/auth/logout/', {});
    await ears.gone();
    expect(ears.messages.at(-1)).toEqual({ type: 'closed', code: 'not_authenticated' });

    const person = await buildUser(test.db, { memberOf: [{ organization: here, role: 'Admin' }] });
    const other = await listen((await bearer(test, person)).inOrganization(here));
    await sql`update organization_member set role = 'User' where user_id = ${person.id}`.execute(
      test.db,
    );
    await until(async () => {
      await createLabel(admin);
      return other.messages.some(({ type }) => type === 'closed');
    }, 'the socket is closed');
    expect(other.messages.at(-1)).toEqual({ type: 'closed', code: 'rights_changed' });
  });

  it('closes a socket that sends messages, and limits the sockets of a user', async () => {
    const person = await signInMember(test, here);
    const talking = await listen(person);
    talking.socket.send('hello');
    await talking.gone();
    const sockets = [];
    for (let index = 0; index < 30; index += 1) sockets.push(await listen(person));
    const further = await listen(person);
    await further.gone();
    expect(further.messages).toEqual([{ type: 'closed', code: 'too_many_requests' }]);
    for (const { socket } of sockets) socket.terminate();
  });

  it('reports the changes since a page was loaded, or that they are unknown', async () => {
    const id = await createLabel(admin);
    const late = await listen(admin, age());
    await until(() => late.heard('label').includes(id), 'the news');
    const later = await listen(admin, '100000000');
    await until(() => later.messages.length > 0, 'the news');
    expect(later.messages).toEqual([{ type: 'changed', resources: null }]);
    const elsewhere = await listen(stranger, age());
    const own = await createLabel(stranger);
    await until(() => elsewhere.heard('label').includes(own), 'the end');
    expect(elsewhere.heard('label')).not.toContain(id);
    for (const { socket } of [late, later, elsewhere]) socket.terminate();
  });

  it('gathers the changes of many writes', async () => {
    const ears = await listen(admin);
    await admin.post(
      'assets/labels/',
      Array.from({ length: 300 }, (_, row) => ({ name: unique(`many${row}`), value: 'x' })),
    );
    await until(() => ears.resources().includes('label'), 'the news');
    expect(ears.messages).toEqual([{ type: 'changed', resources: { label: null } }]);
    ears.socket.terminate();
  });
});

it('limits the pending changes of a listener', () => {
  const pending = new Pending();
  pending.add('asset', ['a', 'b']);
  pending.add('asset', ['b', 'c']);
  expect(pending.take()).toEqual({ asset: ['a', 'b', 'c'] });
  expect(pending.isEmpty).toBe(true);
  for (let index = 0; index < 300; index += 1) pending.add('asset', [String(index)]);
  pending.add('asset', ['x']);
  expect(pending.take()).toEqual({ asset: null });
  for (let index = 0; index < 60; index += 1) pending.add(`resource${index}`, null);
  expect(pending.take()).toBeNull();
});
