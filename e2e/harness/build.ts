import { randomBytes } from 'node:crypto';
import { Client, type Json } from '../../server/src/testing/client.ts';
import type { TestXvnc } from '../../server/src/testing/desktops/xvnc.ts';
import { enrolTotp } from '../../server/src/testing/second-factors.ts';
import type { TestSshd } from '../../server/src/testing/ssh/sshd.ts';

/** A unique name. */
export const unique = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`;

export interface Built {
  readonly id: string;
  readonly name: string;
}

export interface Person extends Built {
  readonly username: string;
  readonly password: string;
}

const PASSWORD = 'a password of the journeys 1';

/** A server with the database `shop` and the account `shopper`, or a Redis server. */
export interface DatabaseTarget {
  readonly type: 'mariadb' | 'redis';
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

/** Creates an object and returns its id. */
export async function create(admin: Client, path: string, body: Json): Promise<string> {
  const answer = await admin.post<{ id: string }>(path, body);
  if (answer.status !== 201)
    throw new Error(`creating below ${path} answered ${answer.status} ${answer.text}`);
  return answer.body.id;
}

/**
 * Users of the journeys keep their first password, unless a journey is about that. Cached per
 * client: a server of a later file may reuse the address of an earlier one.
 */
const keeping = new WeakMap<Client, Promise<unknown>>();
function keepPasswords(admin: Client): Promise<unknown> {
  const request =
    keeping.get(admin) ??
    admin.patch('settings/setting/', { security: { SECURITY_CHANGE_ASSIGNED_PASSWORD: false } });
  keeping.set(admin, request);
  return request;
}

/** A user who may sign in and has never done so. */
export async function buildNewcomer(admin: Client, changes: Json = {}): Promise<Person> {
  await keepPasswords(admin);
  const username = unique('person');
  const name = `Name of ${username}`;
  const id = await create(admin, 'users/users/', {
    name,
    username,
    email: `${username}@example.com`,
    password: PASSWORD,
    ...changes,
  });
  return { id, name, username, password: PASSWORD };
}

/** A user who may sign in and has completed the profile. */
export async function buildPerson(admin: Client, changes: Json = {}): Promise<Person> {
  const person = await buildNewcomer(admin, changes);
  const visitor = new Client(admin.url);
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: person.username,
    password: person.password,
  });
  const own = visitor.with({ authorization: `Bearer ${body.token}` });
  const { status, text } = await own.put('users/profile/', { is_first_login: false });
  if (status !== 200) throw new Error(`completing a profile answered ${status} ${text}`);
  return person;
}

/** A user with a duty, and the secret of the second factor that a duty needs. */
export async function buildHolder(
  admin: Client,
  changes: Json,
): Promise<Person & { readonly secret: string }> {
  const person = await buildPerson(admin);
  const { body } = await new Client(admin.url).post<{ token: string }>('authentication/auth/', {
    username: person.username,
    password: person.password,
  });
  const own = new Client(admin.url).with({ authorization: `Bearer ${body.token}` });
  // A duty needs a password that no administrator knows.
  const password = 'a password of the journeys 2';
  const chosen = await own.put('users/profile/password/', {
    old_password: person.password,
    new_password: password,
    new_password_again: password,
  });
  if (chosen.status !== 200) throw new Error(`a password answered ${chosen.status} ${chosen.text}`);
  const { secret } = await enrolTotp(own, password);
  const { status, text } = await admin.patch(`users/users/${person.id}/`, changes);
  if (status !== 200) throw new Error(`giving a duty answered ${status} ${text}`);
  return { ...person, password, secret };
}

/** An asset that a real sshd answers for. */
export async function buildAsset(
  admin: Client,
  sshd: Pick<TestSshd, 'host' | 'port'>,
  changes: Json = {},
): Promise<Built> {
  const name = unique('server');
  const id = await create(admin, 'assets/assets/', {
    hostname: name,
    ip: sshd.host,
    protocols: [`ssh/${sshd.port}`],
    platform: 'Linux',
    ...changes,
  });
  return { id, name };
}

/** The account of a real sshd, signed in with its key by default. */
export async function buildSystemUser(
  admin: Client,
  sshd: TestSshd,
  changes: Json = {},
): Promise<Built> {
  const name = unique('account');
  const id = await create(admin, 'assets/system-users/', {
    name,
    username: sshd.username,
    protocol: 'ssh',
    private_key: sshd.privateKey,
    auto_push: false,
    ...changes,
  });
  return { id, name };
}

/** A rule that lets people connect to assets. */
export async function buildPermission(
  admin: Client,
  people: readonly Built[],
  assets: readonly Built[],
  accounts: readonly Built[],
  changes: Json = {},
): Promise<Built> {
  const name = unique('rule');
  const ids = (list: readonly Built[]) => list.map(({ id }) => id);
  const id = await create(admin, 'perms/asset-permissions/', {
    name,
    users: ids(people),
    assets: ids(assets),
    system_users: ids(accounts),
    ...changes,
  });
  return { id, name };
}

/** A user, a server that they may connect to, and the permission for it. */
export async function buildGranted(
  admin: Client,
  sshd: TestSshd,
): Promise<{ person: Person; asset: Built; account: Built; rule: Built }> {
  const [person, asset, account] = await Promise.all([
    buildPerson(admin),
    buildAsset(admin, sshd),
    buildSystemUser(admin, sshd),
  ]);
  const rule = await buildPermission(admin, [person], [asset], [account]);
  return { person, asset, account, rule };
}

/** A desktop of a VNC server, and a permission for it. */
export async function buildDesktop(
  admin: Client,
  person: Built,
  vnc: Pick<TestXvnc, 'port' | 'password'>,
): Promise<{ asset: Built; rule: Built }> {
  const asset = await buildAsset(
    admin,
    { host: '127.0.0.1', port: 22 },
    { protocols: [`vnc/${vnc.port}`] },
  );
  const name = unique('screen');
  const id = await create(admin, 'assets/system-users/', {
    name,
    username: '',
    protocol: 'vnc',
    password: vnc.password,
    auto_push: false,
  });
  const rule = await buildPermission(admin, [person], [asset], [{ id, name }]);
  return { asset, rule };
}

/** A database application, and a permission for it with a new account. */
export async function buildDatabase(
  admin: Client,
  person: Built,
  { type, host, port, password }: DatabaseTarget,
): Promise<{ app: Built; account: string; rule: string }> {
  const isRedis = type === 'redis';
  const name = unique(type);
  const id = await create(admin, 'applications/database-apps/', {
    name,
    type,
    host,
    port,
    database: isRedis ? '' : 'shop',
  });
  const account = await create(admin, 'assets/system-users/', {
    name: unique('account'),
    username: isRedis ? '' : 'shopper',
    protocol: isRedis ? 'redis' : 'mysql',
    password,
    auto_push: false,
  });
  const rule = await create(admin, 'perms/database-app-permissions/', {
    name: unique('rule'),
    users: [person.id],
    database_apps: [id],
    system_users: [account],
    actions: ['connect'],
  });
  return { app: { id, name }, account, rule };
}
