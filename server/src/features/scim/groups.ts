import { userGroup } from '@sallyport/contract';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { inSlices } from '../../platform/slices.ts';
import { engineOf } from '../../resources/engines.ts';
import { lockGrants } from '../perms/index.ts';
import { ScimError } from './errors.ts';
import { type ListQuery, listResources } from './list.ts';
import { patching } from './patch.ts';
import {
  callerOf,
  isId,
  notFound,
  type ScimContext,
  type ScimOptions,
  type ScimResources,
  type Target,
} from './resources.ts';
import { assertMatch, withScimErrors } from './service-errors.ts';
import { findGroups, findMembers, GROUP_COLUMNS } from './store.ts';
import { type GroupRow, groupInWire, type Json, readGroup } from './wire.ts';

const writerIn = ({ engines }: ScimOptions) => engineOf(engines, userGroup).writer;

/** The SCIM operations on user groups. */
export const createGroups = (options: ScimOptions): ScimResources => ({
  list: (query, context) => listGroups(options, query, context),
  get: async (id, context) => groupInWire(await groupAt(id, context, options.db), context.site),
  create: (body, context) => createGroup(options, body, context),
  replace: (target, body, context) => changeGroup(options, target, context, () => body),
  patch: (target, body, context) =>
    changeGroup(options, target, context, (now) => inSlices(patching(now, body))),
  remove: (target, context) => removeGroup(options, target, context),
});

const listGroups = ({ db }: ScimOptions, query: ListQuery, { token, site }: ScimContext) =>
  listResources(query, {
    columns: GROUP_COLUMNS,
    find: (condition, tail) => findGroups(token, condition, tail, db),
    count: async (condition) => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from user_group g
          join scim_group s on s.group_id = g.id
          where s.source = ${token.source} and ${condition}`.execute(db);
      return rows[0]?.count ?? 0;
    },
    order: sql`lower(g.name), g.id`,
    wire: (row) => groupInWire(row, site),
  });

async function groupAt(id: string, { token }: ScimContext, on: Db | Tx): Promise<GroupRow> {
  const [row] = isId(id) ? await findGroups(token, sql`g.id = ${id}::uuid`, sql``, on) : [];
  if (!row) throw notFound(id);
  return row;
}

/** Rejects members outside of the token's scope. */
async function assertMembers(
  members: readonly string[],
  { token }: ScimContext,
  tx: Tx,
): Promise<void> {
  const known = members.every(isId) ? await findMembers(members, token, tx) : 0;
  if (known !== members.length)
    throw new ScimError(400, 'members: one is no user that this token reaches', 'invalidValue');
}

const createGroup = (options: ScimOptions, body: unknown, context: ScimContext): Promise<Json> =>
  withScimErrors(() =>
    transact(options.db, async (tx) => {
      await lockGrants(tx);
      const { name, members, externalId } = readGroup(body);
      await assertMembers(members, context, tx);
      const caller = callerOf(context);
      const row = await writerIn(options).create({ name, users: members }, caller, { tx });
      await sql`
        insert into scim_group (group_id, source, external_id)
          values (${String(row.id)}, ${context.token.source}, ${externalId})`.execute(tx);
      return groupInWire(await groupAt(String(row.id), context, tx), context.site);
    }),
  );

/** Returns the members that an administrator added. The provider does not manage them. */
async function membersOfOthers({ id, members }: GroupRow, tx: Tx): Promise<readonly string[]> {
  const ours = new Set(members.map((member) => member.id));
  const { rows } = await sql<{
    user_id: string;
  }>`select user_id from user_group_users where user_group_id = ${id}`.execute(tx);
  return rows.map(({ user_id: userId }) => userId).filter((userId) => !ours.has(userId));
}

/** Changes a group, computed from the current row in the same transaction. */
const changeGroup = (
  options: ScimOptions,
  { id, match }: Target,
  context: ScimContext,
  compute: (now: Json) => unknown,
): Promise<Json> =>
  withScimErrors(() =>
    transact(options.db, async (tx) => {
      await lockGrants(tx);
      const row = await groupAt(id, context, tx);
      const now = groupInWire(row, context.site);
      assertMatch(match, now);
      const { name, members, externalId } = readGroup(await compute(now));
      await assertMembers(members, context, tx);
      const users = [...new Set([...(await membersOfOthers(row, tx)), ...members])];
      await writerIn(options).change(id, { name, users }, callerOf(context), { tx });
      await sql`update scim_group set external_id = ${externalId}, date_changed = now()
        where group_id = ${id}`.execute(tx);
      return groupInWire(await groupAt(id, context, tx), context.site);
    }),
  );

const removeGroup = (
  options: ScimOptions,
  { id, match }: Target,
  context: ScimContext,
): Promise<void> =>
  withScimErrors(() =>
    transact(options.db, async (tx) => {
      await lockGrants(tx);
      assertMatch(match, groupInWire(await groupAt(id, context, tx), context.site));
      await writerIn(options).remove([id], callerOf(context), { tx });
    }),
  );
