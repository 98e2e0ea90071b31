import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../platform/address-policy.ts';
import { sql } from '../../platform/db/sql.ts';
import { addressesOf } from '../../platform/outgoing.ts';
import { createSchemaCheck } from '../../testing/api-description.ts';
import { buildOrganization, unique } from '../../testing/builders.ts';
import { type Certificates, makeCertificates } from '../../testing/certificates.ts';
import { Client, type Json } from '../../testing/client.ts';
import { useCommands } from '../../testing/command.ts';
import { until } from '../../testing/poll.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import type { SentEvent } from './message.ts';
import { LOGGED } from './schema.ts';
import { trim } from './store.ts';
import { frameOf, syslogMessage } from './syslog.ts';

const PATH = 'audits/event-receivers/';
const SECRET = 'a secret of the webhook';

let test: TestProgram;
let admin: Client;
let folder: string;
let certificates: Certificates;
let authority: string;
let tlsOptions: { readonly cert: Buffer; readonly key: Buffer };
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-events-'));
  certificates = await makeCertificates(folder);
  authority = readFileSync(certificates.authority, 'utf8');
  tlsOptions = {
    cert: readFileSync(certificates.certificate),
    key: readFileSync(certificates.key),
  };
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(async () => {
  await test.stop();
  await rm(folder, { recursive: true });
});
afterEach(async () => {
  for (const { id } of (await admin.get<Json[]>(PATH)).body) await admin.delete(`${PATH}${id}/`);
  for (const close of closing.splice(0)) await close();
});

const listen = async (server: Server | HttpsServer, port = 0): Promise<number> => {
  await new Promise<void>((settle) => server.listen(port, '127.0.0.1', settle));
  closing.push(
    () => new Promise((settle) => (server.listening ? server.close(() => settle()) : settle())),
  );
  return (server.address() as AddressInfo).port;
};

/**
 * A syslog server (RFC 5425). It reads frames with a length prefix, and closes its side after the
 * client's end.
 */
async function startSyslog(kind: 'tls' | 'tcp' = 'tls') {
  const messages: string[] = [];
  const take = (socket: {
    on(event: 'data', hear: (chunk: Buffer) => void): unknown;
    on(event: 'error', hear: () => void): unknown;
  }) => {
    let waiting = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (;;) {
        const [all, length] = /^(\d+) /.exec(waiting.subarray(0, 12).toString()) ?? [];
        if (all === undefined || waiting.length < all.length + Number(length)) break;
        messages.push(waiting.subarray(all.length, all.length + Number(length)).toString());
        waiting = waiting.subarray(all.length + Number(length));
      }
    });
  };
  const port = await listen(kind === 'tls' ? createTls(tlsOptions, take) : createTcp(take));
  return {
    port,
    messages,
    events: () =>
      messages.map((message) => JSON.parse(message.slice(message.indexOf('{'))) as SentEvent),
  };
}

interface Received {
  readonly body: string;
  readonly signature: string;
  readonly events: readonly SentEvent[];
}

/** A webhook. `answer` returns the status. A pending promise means no answer. */
async function startWebhook(
  answer: (count: number) => number | Promise<number> = () => 204,
  port = 0,
) {
  const received: Received[] = [];
  const server = createHttps(tlsOptions, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', async () => {
      const signature = String(request.headers['x-sallyport-signature']);
      const status = await answer(received.length + 1);
      if (status < 300)
        received.push({
          body,
          signature,
          events: (JSON.parse(body) as { events: SentEvent[] }).events,
        });
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
  });
  closing.push(async () => server.closeAllConnections());
  const bound = await listen(server, port);
  return {
    url: `https://localhost:${bound}/in?from=sallyport`,
    port: bound,
    received,
    events: () => received.flatMap(({ events }) => events),
  };
}

const add = async (values: Json): Promise<string> => {
  const { status, body, text } = await admin.post<Json>(PATH, {
    name: unique('receiver'),
    ca_certificate: authority,
    ...values,
  });
  expect(status, text).toBe(201);
  return String(body.id);
};
const state = async (id: string) => (await admin.get<Json>(`${PATH}${id}/`)).body;
/** Creates an event: a failed sign-in with this username. */
const fail = async (username: string) =>
  void (await tryToSignIn(test, { username, password: 'wrong' }));
const usernames = (events: readonly SentEvent[]) =>
  events.filter(({ kind }) => kind === 'sign_in').map(({ data }) => data.username);

it('sends again after a clock was ahead, although lease and next try have later times', async () => {
  let isWell = false;
  const webhook = await startWebhook(() => (isWell ? 204 : 500));
  const id = await add({ type: 'webhook', url: webhook.url, secret: SECRET });
  const name = unique('late');
  await fail(name);
  await until(async () => (await state(id)).problem !== '', 'the first try has failed');
  await sql`update event_delivery set next_try = now() + interval '30 days',
    lease_until = now() + interval '30 days' where receiver = ${id}`.execute(test.db);
  isWell = true;
  await until(() => usernames(webhook.events()).includes(name), 'the event has arrived');
});

it('describes the columns that the database sends', async () => {
  const { rows } = await sql<{ table: string; kind: string; columns: string }>`
    select c.relname as "table", split_part(encode(t.tgargs, 'escape'), '\\000', 1) as kind,
      split_part(encode(t.tgargs, 'escape'), '\\000', 2) as columns
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where p.proname = 'write_event' order by kind`.execute(test.db);
  expect(rows).toEqual(
    Object.entries(LOGGED)
      .map(([kind, [{ table }, columns]]) => ({ table, kind, columns }))
      .toSorted((one, other) => (one.kind < other.kind ? -1 : 1)),
  );
});

it('writes the times of an event in UTC for a connection of another time zone', async () => {
  const receiver = await startSyslog();
  await add({ type: 'syslog', host: 'localhost', port: receiver.port });
  await test.db.transaction(async (tx) => {
    await sql`set local time zone 'Asia/Shanghai'`.execute(tx);
    await sql`insert into session (org_id, "user", asset, "system_user", date_start)
      values ('', 'zone', 'web-02', 'deploy', '2026-03-04 08:00:00+08')`.execute(tx);
  });
  const begun = () => receiver.events().find(({ data }) => data.user === 'zone');
  await until(() => begun() !== undefined, 'the event has arrived');
  expect(begun()?.data.date_start).toBe('2026-03-04T00:00:00+00:00');
});

describe('a syslog server', () => {
  it('sends sign-ins, operations and sessions over TLS, one per frame, in the order of their occurrence', async () => {
    const syslog = await startSyslog();
    const id = await add({ type: 'syslog', host: 'localhost', port: syslog.port });
    const organization = await buildOrganization(test.db);
    await fail('first');
    const group = await admin
      .inOrganization(organization)
      .post<Json>('users/groups/', { name: '运维 ☂ 😀' });
    expect(group.status).toBe(201);
    const { rows } = await sql<{ id: string }>`
      insert into session (org_id, "user", asset, "system_user")
        values (${organization}, 'li.wei', 'web-01', 'deploy') returning id`.execute(test.db);
    await sql`update session set is_finished = true, date_end = now(), end_reason = 'session_closed'
      where id = ${rows[0]?.id}`.execute(test.db);
    await sql`insert into alert (org_id, kind, "user", username, subject, datetime, day)
      values (${organization}, 'new_network', 'Li Wei(li.wei)', 'li.wei', '192.0.2.0/24', now(),
        now())`.execute(test.db);
    await fail('last');
    await until(() => usernames(syslog.events()).includes('last'), 'everything has arrived');
    const kinds = syslog
      .events()
      .map(({ kind, data }) => `${kind} ${String(data.username ?? data.resource ?? data.asset)}`);
    const expectedKinds = [
      'sign_in first',
      'operation 运维 ☂ 😀',
      'session_begin web-01',
      'session_end web-01',
      'alert li.wei',
      'sign_in last',
    ];
    expect(kinds.filter((kind) => expectedKinds.includes(kind))).toEqual(expectedKinds);
    // PRI of log audit (13): 6 for ordinary events, 4 for rejections. Everything is ASCII.
    for (const message of syslog.messages)
      expect(message).toMatch(
        /^<(108|110)>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [\x21-\x7e]+ sallyport \d+ [a-z_]{1,32} - \{[\x20-\x7e]*\}$/,
      );
    expect(syslog.messages.find((message) => message.includes('"first"'))).toMatch(/^<108>/);
    const end = syslog.events().find(({ kind }) => kind === 'session_end');
    expect(end).toMatchObject({
      version: 1,
      organization: { id: organization },
      data: { user: 'li.wei', end_reason: 'session_closed', protocol: 'ssh' },
    });
    const { body: schema } = await admin.get<Json>('audits/events/schema/');
    const check = createSchemaCheck({ paths: {}, components: { responses: {} } });
    for (const event of syslog.events())
      expect(check(schema, event), JSON.stringify(event)).toBeUndefined();
    expect(check(schema, { ...end, data: { user: 'li.wei' } })).toContain('must have');
    expect(check(schema, { ...end, kind: 'something_else' })).toContain('kind');
    const ids = syslog.events().map((event) => event.id);
    expect(new Set(ids).size).toBe(ids.length);
    await until(
      async () => (await state(id)).backlog === 0 && (await state(id)).date_delivered !== null,
      'the receiver is shown as up to date',
    );
    expect(await state(id)).toMatchObject({ problem: '', dropped: 0 });
  });

  it('sends nothing to an untrusted server, and everything missed once its certificate is configured', async () => {
    const syslog = await startSyslog();
    const id = await add({
      type: 'syslog',
      host: 'localhost',
      port: syslog.port,
      ca_certificate: '',
    });
    await fail('unseen');
    await until(
      async () => /certificate/.test(String((await state(id)).problem)),
      'the reason is shown',
    );
    expect([syslog.messages, (await state(id)).backlog]).toEqual([[], expect.any(Number)]);
    expect(test.log()).toMatch(/a receiver does not take events; they wait, and it is tried again/);
    expect((await admin.patch(`${PATH}${id}/`, { ca_certificate: authority })).status).toBe(200);
    await until(() => usernames(syslog.events()).includes('unseen'), 'it has arrived');
    await until(async () => (await state(id)).problem === '', 'the problem is gone');
  });

  it('requires the setting for a server without encryption, even when the setting is turned off later', async () => {
    const syslog = await startSyslog('tcp');
    const plain = {
      name: unique('receiver'),
      type: 'syslog',
      host: '127.0.0.1',
      port: syslog.port,
      transport: 'tcp',
    };
    const refused = await admin.post<Json>(PATH, plain);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['transport']]);
    const allow = async (allowed: boolean) =>
      expect(
        (
          await admin.patch('settings/setting/', {
            security: { SECURITY_PLAIN_EVENT_RECEIVERS: allowed },
          })
        ).status,
      ).toBe(200);
    await allow(true);
    const id = await add(plain);
    await fail('in plain');
    await until(() => usernames(syslog.events()).includes('in plain'), 'it has arrived');
    await allow(false);
    await fail('not any more');
    await until(
      async () => String((await state(id)).problem).includes('not encrypted'),
      'it says why nothing is sent',
    );
    expect(usernames(syslog.events())).not.toContain('not any more');
  });

  it('frames messages with any content', () => {
    const event: SentEvent = {
      version: 1,
      id: 'x',
      kind: 'operation',
      time: '2026-11-21T08:30:00.000Z',
      product: 'p',
      organization: null,
      data: { resource: '中\n<1>"\u2028😀' },
    };
    const message = syslogMessage(event);
    expect(frameOf(message)).toBe(`${message.length} ${message}`);
    expect(JSON.parse(message.slice(message.indexOf('{')))).toEqual(event);
    expect(message).not.toContain('\n');
  });
});

it('leaves the longest properties of large events out, at 8,000 bytes of ASCII for syslog and 16 KiB for webhooks', async () => {
  const syslog = await startSyslog();
  const hook = await startWebhook();
  await add({ type: 'syslog', host: 'localhost', port: syslog.port });
  await add({ type: 'webhook', url: hook.url, secret: SECRET });
  const { db } = test;
  const names = { small: unique('small'), medium: unique('medium'), large: unique('large') };
  const write = (name: string, system_user: string) =>
    sql`insert into session (org_id, "user", asset, "system_user")
      values ('', ${name}, ${name.repeat(20)}, ${system_user})`.execute(db);
  await write(names.small, '审'.repeat(1000));
  // 9,000 bytes of UTF-8 are 18,000 bytes of ASCII.
  await write(names.medium, '审'.repeat(3000));
  await write(names.large, '😀'.repeat(5000));
  const receivers = { syslog: syslog.events, hook: hook.events };
  const eventOf = (receiver: keyof typeof receivers, name: string) =>
    receivers[receiver]().find(({ kind, data }) => kind === 'session_begin' && data.user === name);
  for (const receiver of ['syslog', 'hook'] as const)
    await until(() => eventOf(receiver, names.large) !== undefined, `${receiver} has the last one`);
  const cut = { system_user: null, left_out: ['system_user'] };
  expect(eventOf('syslog', names.small)?.data).toMatchObject({ system_user: '审'.repeat(1000) });
  expect(eventOf('syslog', names.medium)?.data).toMatchObject(cut);
  expect(eventOf('syslog', names.large)?.data).toMatchObject(cut);
  expect(eventOf('hook', names.medium)?.data).toMatchObject({ system_user: '审'.repeat(3000) });
  expect(eventOf('hook', names.large)?.data).toMatchObject(cut);
  for (const message of syslog.messages) expect(message.length).toBeLessThanOrEqual(8000);
});

it.each([
  ['as large as a message may be', 0, undefined],
  ['one byte larger', 1, ['resource']],
] as const)('sends an event of syslog that is %s', (_, more, left_out) => {
  const event = (resource: string): SentEvent => ({
    version: 1,
    id: 'x',
    kind: 'operation',
    time: '2026-11-21T08:30:00.000Z',
    product: 'p',
    organization: { id: 'o', name: '组织' },
    data: { resource, user: 'Li Wei' },
  });
  const room = 8000 - syslogMessage(event('')).length;
  const message = syslogMessage(event('r'.repeat(room + more)));
  expect(message.length).toBeLessThanOrEqual(8000);
  expect(JSON.parse(message.slice(message.indexOf('{'))).data.left_out).toEqual(left_out);
});

describe('a webhook', () => {
  it('sends signed events to a webhook, waits while it fails, and loses none', async () => {
    let isWell = false;
    const hook = await startWebhook(() => (isWell ? 200 : 302));
    const id = await add({
      type: 'webhook',
      url: hook.url,
      secret: SECRET,
      sends_operations: false,
    });
    expect(JSON.stringify(await state(id))).not.toContain(SECRET);
    const names = Array.from({ length: 12 }, (_value, index) => `hooked-${index}`);
    for (const name of names) await fail(name);
    // A redirect counts as a failure and is not followed.
    await until(
      async () => (await state(id)).problem === 'the receiver answered 302',
      'the answer is shown',
    );
    await until(async () => (await state(id)).backlog === 12, 'all of them wait');
    isWell = true;
    // A change of the receiver retries at once.
    await admin.patch(`${PATH}${id}/`, { comment: 'it is well again' });
    await until(() => usernames(hook.events()).length === 12, 'all of them have arrived');
    expect(usernames(hook.events())).toEqual(names);
    for (const { body, signature } of hook.received) {
      const [, time = '', given = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
      expect(createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')).toBe(given);
      expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(600);
    }
    expect(test.log()).not.toContain(SECRET);
  });

  it('sends only the subscribed kinds and organizations', async () => {
    const [here, there] = [await buildOrganization(test.db), await buildOrganization(test.db)];
    const [all, some, ours] = [await startWebhook(), await startWebhook(), await startWebhook()];
    await add({ type: 'webhook', url: ours.url, secret: SECRET, default_organization: true });
    await add({ type: 'webhook', url: all.url, secret: SECRET, sends_sign_ins: false });
    await add({ type: 'webhook', url: some.url, secret: SECRET, organizations: [here] });
    const names = {
      here: unique('group'),
      there: unique('group'),
      last: unique('group'),
      byDefault: unique('group'),
    };
    await fail('of nobody');
    await admin.inOrganization(there).post('users/groups/', { name: names.there });
    await admin.inOrganization(here).post('users/groups/', { name: names.here });
    await admin.inOrganization(here).post('users/groups/', { name: names.last });
    await admin.post('users/groups/', { name: names.byDefault });
    const groups = (events: readonly SentEvent[]) =>
      events
        .map(({ data }) => data.resource)
        .filter((name) => Object.values(names).includes(String(name)));
    await until(
      () => [all, some].every(({ events }) => groups(events()).includes(names.last)),
      'the last one has arrived',
    );
    await until(
      () => [all, ours].every(({ events }) => groups(events()).includes(names.byDefault)),
      'that of the default organization has arrived',
    );
    expect(groups(all.events())).toEqual([names.there, names.here, names.last, names.byDefault]);
    expect(groups(ours.events())).toEqual([names.byDefault]);
    expect(groups(some.events())).toEqual([names.here, names.last]);
    expect([
      ...usernames(all.events()),
      ...usernames(some.events()),
      ...usernames(ours.events()),
    ]).toEqual([]);
  });

  it('reports the number of dropped events after a long outage', async () => {
    // The webhook answers only after events were dropped. No delivery that read them earlier is
    // accepted afterwards.
    const { promise: refusal, resolve: refuse } = Promise.withResolvers<number>();
    let answer: () => number | Promise<number> = () => refusal;
    const hook = await startWebhook(() => answer());
    const id = await add({
      type: 'webhook',
      url: hook.url,
      secret: SECRET,
      sends_operations: false,
    });
    for (const name of ['old-1', 'old-2', 'old-3', 'new-1', 'new-2']) await fail(name);
    await until(async () => (await state(id)).backlog === 5, 'all of them wait');
    await trim(test.db, 2);
    expect(await state(id)).toMatchObject({ backlog: 2, dropped: 3 });
    answer = () => 200;
    refuse(503);
    await admin.patch(`${PATH}${id}/`, { comment: 'it is well again' });
    await until(() => usernames(hook.events()).includes('new-2'), 'the last one has arrived');
    expect(hook.events().map(({ kind, data }) => [kind, data.username ?? data.dropped])).toEqual([
      ['gap', 3],
      ['sign_in', 'new-1'],
      ['sign_in', 'new-2'],
    ]);
    // Events without a subscriber are deleted once the cursor has passed them.
    await until(async () => {
      await trim(test.db);
      return (await sql`select 1 from event limit 1`.execute(test.db)).rows.length === 0;
    }, 'no event is kept that nobody waits for');
  });

  it('validates and tests a receiver, and rejects addresses of this server and its link', async () => {
    const hook = await startWebhook((count) => (count === 1 ? 200 : 403));
    const bad = async (values: Json) =>
      Object.keys(
        (
          await admin.post<Json>(PATH, {
            name: unique('receiver'),
            type: 'webhook',
            url: hook.url,
            secret: SECRET,
            ...values,
          })
        ).body,
      );
    expect(await bad({ url: '' })).toEqual(['url']);
    expect(await bad({ url: 'https://user:pass@example.com/' })).toEqual(['url']);
    expect(await bad({ url: 'http://example.com/' })).toEqual(['url']);
    expect(await bad({ secret: '' })).toEqual(['secret']);
    expect(await bad({ secret: 'short' })).toEqual(['secret']);
    expect(await bad({ ca_certificate: 'none' })).toEqual(['ca_certificate']);
    expect(await bad({ type: 'syslog', host: '' })).toEqual(['host']);
    const id = await add({ type: 'webhook', url: hook.url, secret: SECRET, is_active: false });
    expect(
      Object.keys((await admin.patch<Json>(`${PATH}${id}/`, { type: 'syslog' })).body),
    ).toEqual(['type']);
    expect((await admin.post(`${PATH}${id}/test/`)).body).toEqual({
      is_valid: true,
      msg: 'The receiver accepted the event.',
    });
    expect(hook.events()).toMatchObject([{ kind: 'test', organization: null }]);
    const refused = await admin.with({ 'accept-language': 'zh' }).post<Json>(`${PATH}${id}/test/`);
    expect(refused.body).toEqual({
      is_valid: false,
      msg: '接收端未接收事件：the receiver answered 403',
    });

    const policy = createAddressPolicy([], () => [8080]);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '0.0.0.0'])
      await expect(addressesOf(host, 443, policy), host).rejects.toThrow(
        'is an address of this server or its link',
      );
    expect(await addressesOf('192.0.2.1', 443, policy)).toEqual(['192.0.2.1']);
  });
});

describe('kill -9', () => {
  const { start } = useCommands();

  it('loses no event and keeps the order when the server is killed during a delivery', async () => {
    let hangs = true;
    let requests = 0;
    const hook = await startWebhook(() => {
      requests += 1;
      return hangs ? new Promise<number>(() => undefined) : 200;
    });
    const allowed = { SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8' };
    const first = start(allowed);
    const url = await first.ready();
    const signIn = (address: string, username: string, password: string) =>
      new Client(address).post<{ token: string }>('authentication/auth/', { username, password });
    const { token } = (await signIn(url, 'admin', 'of the command')).body;
    const own = new Client(url).with({ authorization: `Bearer ${token}` });
    const created = await own.post<Json>(PATH, {
      name: 'hook',
      type: 'webhook',
      url: hook.url,
      secret: SECRET,
      ca_certificate: authority,
    });
    expect(created.status).toBe(201);
    for (const name of ['one', 'two']) await signIn(url, name, 'wrong');
    await until(() => requests > 0, 'a delivery is under way');
    await signIn(url, 'three', 'wrong');
    process.kill(first.child.pid ?? 0, 'SIGKILL');
    await first.ended;
    hangs = false;
    const second = await start(allowed).ready();
    await signIn(second, 'four', 'wrong');
    await until(() => usernames(hook.events()).includes('four'), 'the last one has arrived');
    const seen = usernames(hook.events()).filter((name) => name !== 'admin');
    expect([...new Set(seen)]).toEqual(['one', 'two', 'three', 'four']);
  });
});
