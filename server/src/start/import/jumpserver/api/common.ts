import { textOf } from '../values.ts';
import type { Item } from './client.ts';
import { type ApiTables, flatList, flatRow } from './tables.ts';

/** The default organization, the root of all, and that of the product itself. */
const OWN = /^(default|00000000-0000-0000-0000-.*)$/i;

const MEMBERS = ['users', 'admins', 'auditors'] as const;

/** Reads the organizations, whose lists are read one after the other. */
async function readOrganizations(tables: ApiTables, first: string): Promise<void> {
  const items = await tables.ifAllowed(tables.client.list('orgs/orgs/'));
  if (!items)
    tables.note(
      'orgs/orgs/',
      'is not given to the owner of the access key; only the default organization is read',
    );
  const others = (items ?? []).filter(({ id }) => !OWN.test(textOf(id)));
  tables.organizations = [first, ...others.map(({ id }) => textOf(id))];
  for (const { id } of others) {
    const item = await tables.client.get(`orgs/orgs/${textOf(id)}/`, '');
    tables.add('orgs_organization', flatRow(item));
    // Before version 2.17; later, users have roles in organizations.
    for (const name of MEMBERS)
      for (const user of flatList(item[name]))
        tables.add(`orgs_organization_${name}`, { organization_id: id, user_id: user });
  }
}

/** Sees users that are in no organization. */
const ROOT = '00000000-0000-0000-0000-000000000000';

function addRoles(tables: ApiTables, item: Item, scope: 'system' | 'org', org: string): void {
  for (const role of flatList(item[`${scope}_roles`]))
    tables.add('rbac_rolebinding', {
      id: `${textOf(item.id)} ${role}`,
      ...{ user_id: item.id, role_id: role, scope, org_id: org },
    });
}

async function readUsers(tables: ApiTables): Promise<void> {
  const known = new Set<unknown>();
  const add = (item: Item) => {
    if (known.has(item.id)) return;
    known.add(item.id);
    tables.add('users_user', flatRow(item));
    addRoles(tables, item, 'system', '');
  };
  // No installation is without users: a 404 means another product.
  await tables.client.count('users/users/');
  await tables.each('users/users/', (row, item) => {
    addRoles(tables, item, 'org', textOf(row.org_id));
    add(item);
  });
  for (const item of (await tables.ifAllowed(tables.client.list('users/users/', ROOT))) ?? [])
    add(item);
  tables.note(
    'users/users/',
    'has neither passwords nor keys nor OTP secrets: users with a local password need a new one, and all set up the second factor again',
  );
}

/** Actions by the names of all versions. */
const BITS: Readonly<Record<string, number>> = {
  connect: 1,
  upload: 2,
  upload_file: 2,
  download: 4,
  download_file: 4,
  updownload: 6,
  copy: 8,
  clipboard_copy: 8,
  paste: 16,
  clipboard_paste: 16,
  clipboard_copy_paste: 24,
};
const EVERYTHING = 255;
const TRANSFERS = 7;
const CLIPBOARD = 24;

const LINKS = [
  ['users', 'user', 'users', 'user_id'],
  ['user-groups', 'usergroup', 'user_groups', 'usergroup_id'],
  ['assets', 'asset', 'assets', 'asset_id'],
  ['nodes', 'node', 'nodes', 'node_id'],
  ['system-users', 'systemuser', 'system_users', 'systemuser_id'],
] as const;

/**
 * Returns the bits of named actions. Versions without actions for the clipboard include it in
 * `all`; others name it.
 */
function maskOf(names: readonly string[], hasClipboard: boolean): number {
  const mask = names.reduce((sum, name) => sum | (BITS[name] ?? 0), 0);
  if (!names.includes('all')) return mask;
  if (!hasClipboard || (mask & CLIPBOARD) === CLIPBOARD) return EVERYTHING;
  return mask | TRANSFERS;
}

async function readPermissions(tables: ApiTables): Promise<void> {
  const table = 'perms_assetpermission';
  const items: Item[] = [];
  await tables.each('perms/asset-permissions/', async (row, item) => {
    const { client } = tables;
    // Some lists are shorter than the object.
    const whole =
      'actions' in item
        ? item
        : await client.get(`perms/asset-permissions/${textOf(item.id)}/`, textOf(row.org_id));
    items.push({ ...whole, org_id: row.org_id });
  });
  const namesOf = ({ actions }: Item) => flatList(actions).map(String);
  const hasClipboard = items.some((item) =>
    namesOf(item).some((name) => ((BITS[name] ?? 0) & CLIPBOARD) !== 0),
  );
  if (hasClipboard) tables.mark('perms_userassetgrantedtreenoderelation');
  for (const item of items)
    tables.add(table, { ...flatRow(item), actions: maskOf(namesOf(item), hasClipboard) });
  for (const [path, field, links, column] of LINKS)
    await tables.each(`perms/asset-permissions-${path}-relations/`, (row) =>
      tables.add(`${table}_${links}`, {
        id: row.id,
        assetpermission_id: row.assetpermission,
        [column]: row[field],
      }),
    );
}

/**
 * Reads what all versions have in the same form.
 *
 * @param first the header that means the default organization
 */
export async function readCommon(tables: ApiTables, first: string): Promise<void> {
  await readOrganizations(tables, first);
  await readUsers(tables);
  await tables.each('users/groups/', (row) => tables.add('users_usergroup', row));
  await tables.each('users/users-groups-relations/', (row) =>
    tables.add('users_user_groups', {
      id: row.id,
      user_id: row.user,
      usergroup_id: row.usergroup,
    }),
  );
  await tables.each('assets/nodes/', (row) => tables.add('assets_node', row));
  await readPermissions(tables);
}
