import { generateSshKeyPair, ssh2 } from '@sallyport/ssh';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { wireOf } from '../../../platform/ssh-keys.ts';
import { buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { keepDeviceKeys } from '../../../testing/device-keys.ts';
import { until } from '../../../testing/poll.ts';
import { confirmDevice } from '../../../testing/sallyctl/sallyctl.ts';
import { bearer, browser } from '../../../testing/sign-in.ts';
import { whileRefused } from '../../../testing/sign-in-rule.ts';
import { type SshWorld, startSshWorld } from '../../../testing/ssh/ssh-world.ts';

const PATH = 'authentication/device/ssh-key/';

let world: SshWorld;
let device: Client;
beforeAll(async () => {
  world = await startSshWorld();
  await keepDeviceKeys(world.test.db);
});
afterAll(() => world.stop());
beforeEach(async () => {
  device = await signedInDevice();
});
afterEach(() => sql`delete from device_ssh_key`.execute(world.test.db));

/** Signs a device of the member in, by the code that a browser confirms. */
async function signedInDevice(): Promise<Client> {
  const { test, member } = world;
  const { visitor } = test;
  const { body: begun } = await visitor.post<Json>('authentication/device/code/', {
    device: 'laptop',
  });
  await confirmDevice(test, member, String(begun.user_code));
  const { body } = await visitor.post<Json>('authentication/device/token/', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: begun.device_code,
  });
  return visitor.with({ authorization: `Bearer ${body.access_token}` });
}

interface Key {
  readonly line: string;
  readonly private: string;
}

function makeKey(): Key {
  const pair = generateSshKeyPair('');
  return { line: pair.public.trim(), private: pair.private };
}

async function added(client = device): Promise<Key> {
  const key = makeKey();
  expect((await client.post(PATH, { public_key: key.line })).status).toBe(201);
  return key;
}

/** Signs in with nothing but a key. Returns the status of a command, or the refusal. */
function open({ private: privateKey }: Key, username = world.login): Promise<number | string> {
  return new Promise((resolve) => {
    const client = new ssh2.Client();
    client.on('error', ({ message }) => resolve(message));
    client.on('ready', () =>
      client.exec('exit 7', (error, channel) => {
        if (error) resolve(error.message);
        else
          channel
            .on('exit', (code: number) => {
              client.end();
              resolve(code);
            })
            .resume();
      }),
    );
    client.connect({ host: '127.0.0.1', port: world.port, username, privateKey });
  });
}

const REFUSED = 'All configured authentication methods failed';
const log = async () =>
  (
    await sql<Json>`select type, reason, status from login_log
      where username = ${world.member.username} order by datetime desc limit 1`.execute(
      world.test.db,
    )
  ).rows[0];

it('opens one connection without a question, and no second one', async () => {
  const key = await added();
  expect(await open(key)).toBe(7);
  expect(await log()).toEqual({ type: 'T', reason: '', status: true });
  expect(await open(key)).toBe(REFUSED);
  const { rows } = await sql`select 1 from device_ssh_key`.execute(world.test.db);
  expect(rows).toEqual([]);
});

it('opens connections with several keys of one device at once', async () => {
  const keys = await Promise.all([added(), added(), added()]);
  expect(await Promise.all(keys.map((key) => open(key)))).toEqual([7, 7, 7]);
});

it('gives a key one minute', async () => {
  const { body } = await device.post<Json>(PATH, { public_key: makeKey().line });
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from ${String(body.date_expired)}::timestamptz - now())::integer as seconds`.execute(
    world.test.db,
  );
  expect(rows[0]?.seconds).toBeLessThanOrEqual(61);
});

it('refuses a key that was never added, has expired, or comes from another address', async () => {
  const { db } = world.test;
  expect(await open(makeKey())).toBe(REFUSED);
  const late = await added();
  await sql`update device_ssh_key set date_expired = now()`.execute(db);
  expect(await open(late)).toBe(REFUSED);
  const elsewhere = await added();
  await sql`update device_ssh_key set remote_addr = '192.0.2.7'`.execute(db);
  expect(await open(elsewhere)).toBe(REFUSED);
});

it('refuses the key with the name of another user', async () => {
  const other = await buildUser(world.test.db);
  const key = await added();
  const [, ...target] = world.login.split('@');
  expect(await open(key, [other.username, ...target].join('@'))).toBe(REFUSED);
  expect(await open(key)).toBe(7);
});

it('refuses the key of a device that is signed out', async () => {
  const { db } = world.test;
  const key = await added();
  await sql`delete from web_session where kind = 'bearer' and user_id = ${world.member.id}`.execute(
    db,
  );
  expect(await open(key)).toBe(REFUSED);
  device = await signedInDevice();
  const ended = await added();
  await sql`update web_session set date_expired = now() where kind = 'bearer'
    and user_id = ${world.member.id}`.execute(db);
  expect(await open(ended)).toBe(REFUSED);
});

it.each(['openid', 'saml', 'cas'])(
  'opens a connection of an account of %s, which has no password',
  async (source) => {
    const { db } = world.test;
    const { id } = world.member;
    const { rows } = await sql<Json>`select source, password from account where id = ${id}`.execute(
      db,
    );
    const key = await added();
    await sql`update account set source = ${source}, password = null where id = ${id}`.execute(db);
    expect(await open(key)).toBe(7);
    await sql`
      update account set source = ${rows[0]?.source}, password = ${rows[0]?.password}
      where id = ${id}`.execute(db);
  },
);

it('refuses a disabled account, and one that a sign-in rule refuses', async () => {
  const { db } = world.test;
  const { id } = world.member;
  const key = await added();
  await sql`update account set is_active = false where id = ${id}`.execute(db);
  expect(await open(key)).toBe(REFUSED);
  await sql`update account set is_active = true where id = ${id}`.execute(db);
  device = await signedInDevice();
  const later = await added();
  await whileRefused(await bearer(world.test), id, async () => {
    expect(await open(later)).not.toBe(7);
  });
});

it('grants nothing but the access of the permissions', async () => {
  const key = await added();
  const [name] = world.login.split('@');
  const answer = await open(key, `${name}@${world.accountName}@not-granted`);
  expect(answer).not.toBe(7);
});

it('takes keys from sign-ins by a token, and from no browser and no visitor', async () => {
  const { test, member } = world;
  const body = { public_key: makeKey().line };
  const page = await browser(test, member);
  expect((await page.post<Json>(PATH, body)).headers.get('x-error-code')).toBe('sign_in_needed');
  expect((await test.visitor.post(PATH, body)).status).toBe(401);
  const own = await bearer(test, member);
  expect((await own.post(PATH, body)).status).toBe(201);
});

it.each(['', 'ssh-ed25519 AAAA', 'nonsense', 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ'])(
  'names the field of the key "%s", which it cannot take',
  async (line) => {
    const answer = await device.post<Json>(PATH, { public_key: line });
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['public_key']]);
  },
);

it('takes no key while keys are switched off, and keeps at most fifty of a device', async () => {
  const { db } = world.test;
  const rows = async () => (await sql`select digest from device_ssh_key`.execute(db)).rows.length;
  await world.administrator.patch('settings/setting/', { TERMINAL_PUBLIC_KEY_AUTH: false });
  const refused = await device.post<Json>(PATH, { public_key: makeKey().line });
  await world.administrator.patch('settings/setting/', { TERMINAL_PUBLIC_KEY_AUTH: true });
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([400, 'public_key_off']);
  await until(
    async () => (await device.post(PATH, { public_key: makeKey().line })).status === 201,
    'keys are taken again',
  );
  await sql`
    insert into device_ssh_key (digest, session_id, remote_addr, date_expired)
    select decode(md5(n::text), 'hex'), session_id, remote_addr, date_expired
    from device_ssh_key, generate_series(1, 60) n`.execute(db);
  const newest = await added();
  expect(await rows()).toBe(50);
  expect(await open(newest)).toBe(7);
});

it('stores a digest instead of the key', async () => {
  const key = await added();
  const { rows } = await sql<{ text: string }>`
    select to_jsonb(k)::text as text from device_ssh_key k`.execute(world.test.db);
  expect(rows[0]?.text).not.toContain(wireOf(key.line)?.toString('hex').slice(-64));
});
