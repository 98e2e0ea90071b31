import { SIGN_IN_SOURCES } from '@sallyport/contract';
import { isImportedHash, MAX_ITERATIONS } from '../../../platform/crypto/imported-hash.ts';
import type { Collector } from '../description.ts';
import type { Row, SourceDatabase } from './database.ts';
import { openSecret } from './secrets.ts';
import { columnOf, dateOf, idOf, isTrue, organizationOf, pairsOf, textOf } from './values.ts';

/** A source that is being read. */
export interface Reading {
  readonly database: SourceDatabase;
  /** Undefined: the source gives its secrets in clear. */
  readonly secretKey: string | undefined;
  readonly into: Collector;
}

type Role = 'Admin' | 'Auditor' | 'User';

/** Built-in roles of JumpServer 2.17 and later. The fourth one belongs to its components. */
const ROLE_IDS: Readonly<Record<string, Role | 'App'>> = {
  '1': 'Admin',
  '2': 'Auditor',
  '3': 'User',
  '4': 'App',
  '5': 'Admin',
  '6': 'Auditor',
  '7': 'User',
};
const roleOf = (id: unknown) =>
  /^00000000-0000-0000-0000-00000000000([1-7])$/.exec(idOf(id))?.[1] ?? '';

/** Members of organizations by role. */
type Members = Map<string, Record<Role, string[]>>;

/** Sources of accounts that both products know. Others become local ones. */
const SOURCES: Readonly<Record<string, string>> = {
  local: 'local',
  ...Object.fromEntries(
    SIGN_IN_SOURCES.map((source) => [
      'imported' in source ? source.imported : source.value,
      source.value,
    ]),
  ),
};

/** Opens a secret of a row, or notes why it cannot be read. */
export function openColumn(
  { into, secretKey }: Reading,
  place: string,
  row: Row,
  names: readonly string[],
): string | undefined {
  const stored = columnOf(row, ...names);
  if (secretKey === undefined) return textOf(stored) || undefined;
  const opened = openSecret(stored, secretKey);
  if ('plain' in opened) return opened.plain;
  into.note(place, `${names[0]} ${opened.problem}; it is not imported`);
  return undefined;
}

/** Reads organizations and their members, and returns the installation's roles of users. */
export async function readOrganizations(reading: Reading) {
  const { database, into } = reading;
  const names = new Map<string, string>();
  for await (const row of database.rows('orgs_organization')) {
    const id = organizationOf({ org_id: row.id });
    // The default organization, the root of all, and that of the product itself.
    if (id === '' || /^00000000-0000-0000-0000-/.test(id)) continue;
    names.set(id, textOf(row.name));
    into.add({
      kind: 'organization',
      id,
      organization: '',
      name: textOf(row.name),
      place: `orgs_organization ${id}`,
      fields: { name: textOf(row.name), comment: textOf(row.comment).slice(0, 128) },
    });
  }
  const members: Members = new Map();
  const roles = new Map<string, Set<Role | 'App'>>();
  const join = (organization: string, user: string, role: Role) => {
    const known = members.get(organization) ?? { Admin: [], Auditor: [], User: [] };
    known[role].push(user);
    members.set(organization, known);
  };
  await readMembers(database, join);
  for await (const row of database.rows('rbac_rolebinding')) {
    const [user, role] = [idOf(row.user_id), ROLE_IDS[roleOf(row.role_id)]];
    if (role === undefined) {
      into.note(
        `rbac_rolebinding ${idOf(row.id)}`,
        'is for a custom role; its user becomes an ordinary user',
      );
      continue;
    }
    if (row.scope === 'org') {
      if (role !== 'App') join(organizationOf(row), user, role);
    } else roles.set(user, (roles.get(user) ?? new Set()).add(role));
  }
  return { names, members, roles };
}

/** Members before version 2.17: one table with roles, or one table for each role. */
async function readMembers(
  database: SourceDatabase,
  join: (organization: string, user: string, role: Role) => void,
): Promise<void> {
  for await (const row of database.rows('orgs_organization_members')) {
    const role = textOf(row.role);
    if (role === 'Admin' || role === 'Auditor' || role === 'User')
      join(idOf(row.org_id), idOf(row.user_id), role);
  }
  const tables = { users: 'User', admins: 'Admin', auditors: 'Auditor' } as const;
  for (const [table, role] of Object.entries(tables))
    for await (const row of database.rows(`orgs_organization_${table}`))
      join(idOf(row.organization_id), idOf(row.user_id), role);
}

function accountRole(row: Row, roles: ReadonlySet<Role | 'App'> | undefined): Role | 'App' {
  if (isTrue(row.is_service_account)) return 'App';
  for (const role of ['App', 'Admin', 'Auditor'] as const)
    if (roles?.has(role) || row.role === role) return role;
  return 'User';
}

/** Public keys of users in the newest versions, which have several. */
async function readKeys(reading: Reading): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  for await (const row of reading.database.rows('authentication_sshkey')) {
    const place = `authentication_sshkey ${idOf(row.id)}`;
    const [user, key] = [idOf(row.user_id), openColumn(reading, place, row, ['public_key'])];
    if (key === undefined || !isTrue(row.is_active)) continue;
    if (keys.has(user))
      reading.into.note(place, 'is a further key of its user; it is not imported');
    else keys.set(user, key);
  }
  return keys;
}

/** A user of the source, for the proof. */
export interface SourceUser {
  readonly username: string;
  readonly isValid: boolean;
}

/** Reads users, their memberships and groups. */
export async function readPeople(reading: Reading): Promise<ReadonlyMap<string, SourceUser>> {
  const { database, into } = reading;
  const { names, members, roles } = await readOrganizations(reading);
  const keys = await readKeys(reading);
  const users = new Map<string, SourceUser>();
  for await (const row of database.rows('users_user')) {
    const id = idOf(row.id);
    const role = accountRole(row, roles.get(id));
    if (role === 'App') {
      into.note(`users_user ${id}`, 'is the account of a component; it is not imported');
      continue;
    }
    users.set(id, { username: textOf(row.username), isValid: isValidUser(row) });
    addUser(row, { role, key: keys.get(id) }, reading);
  }
  for (const [organization, { Admin, Auditor, User }] of members)
    if (organization !== '')
      into.add({
        kind: 'membership',
        id: organization,
        organization: '',
        name: names.get(organization) ?? organization,
        place: `members of orgs_organization ${organization}`,
        fields: { users: User, admins: Admin, auditors: Auditor },
      });
  await readGroups(reading);
  return users;
}

function isValidUser(row: Row): boolean {
  const end = dateOf(row.date_expired);
  return isTrue(row.is_active) && (end === undefined || Date.parse(end) > Date.now());
}

/** Returns the hash if our sign-in can check it. */
function readHash(row: Row, place: string, into: Collector): string | undefined {
  const hash: string = textOf(row.password);
  const isReadable: boolean = isImportedHash(hash);
  if (isReadable) return hash;
  // Django marks accounts without a password by an exclamation mark.
  if (hash !== '' && !hash.startsWith('!'))
    into.note(
      place,
      `password is no PBKDF2-SHA256 hash of up to ${MAX_ITERATIONS} iterations; the user needs a new one`,
    );
  return undefined;
}

function addUser(
  row: Row,
  { role, key }: { readonly role: Role; readonly key: string | undefined },
  reading: Reading,
): void {
  const { into } = reading;
  const [id, username] = [idOf(row.id), textOf(row.username)];
  const place = `users_user ${id}`;
  const source = SOURCES[textOf(row.source)];
  if (source === undefined)
    into.note(place, `source ${textOf(row.source)} is unknown; the account becomes a local one`);
  const otp = openColumn(reading, place, row, ['otp_secret_key', '_otp_secret_key']);
  const isOtp = otp !== undefined && /^[A-Z2-7]{16,128}=*$/i.test(otp);
  if (otp !== undefined && !isOtp) into.note(place, 'otp_secret_key is no base32 text');
  const publicKey = key ?? openColumn(reading, place, row, ['public_key', '_public_key']);
  const level = Number(row.mfa_level ?? row.otp_level ?? 0);
  const passwordDate = dateOf(row.date_password_last_updated);
  into.add({
    kind: 'user',
    id,
    organization: '',
    name: username,
    place,
    fields: {
      username,
      name: textOf(row.name),
      email: textOf(row.email),
      role,
      source: source ?? 'local',
      is_active: isTrue(row.is_active),
      date_expired: dateOf(row.date_expired) ?? null,
      comment: textOf(row.comment) || null,
      phone: textOf(row.phone) || null,
      wechat: textOf(row.wechat),
    },
    initial: {
      mfa_level: [0, 1, 2].includes(level) ? level : 0,
      ...(publicKey !== undefined && { public_key: publicKey }),
    },
    credentials: {
      passwordHash: source === 'local' ? readHash(row, place, into) : undefined,
      ...(passwordDate !== undefined && { passwordDate: new Date(passwordDate) }),
      ...(isOtp && { totpSecret: otp.replace(/=+$/, '').toUpperCase() }),
    },
  });
}

async function readGroups({ database, into }: Reading): Promise<void> {
  const users = await pairsOf(database.rows('users_user_groups'), ['usergroup_id', 'user_id']);
  for await (const row of database.rows('users_usergroup')) {
    const [id, name] = [idOf(row.id), textOf(row.name)];
    into.add({
      kind: 'user_group',
      id,
      organization: organizationOf(row),
      name,
      place: `users_usergroup ${id}`,
      fields: { name, comment: textOf(row.comment), users: users.get(id) ?? [] },
    });
  }
}
