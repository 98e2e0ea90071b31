import { user } from '@sallyport/contract';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { engineOf } from '../../resources/engines.ts';
import { lockGrants } from '../perms/index.ts';
import { ScimError } from './errors.ts';
import { isRecord, memberOf } from './filter.ts';
import { type ListQuery, listResources } from './list.ts';
import { patched } from './patch.ts';
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
import { findUsers, USER_COLUMNS, within } from './store.ts';
import { type Json, readUser, type UserInput, type UserRow, userInWire } from './wire.ts';

const writerIn = ({ engines }: ScimOptions) => engineOf(engines, user).writer;

/** The SCIM operations on accounts. */
export const createUsers = (options: ScimOptions): ScimResources => ({
  list: (query, context) => listUsers(options, query, context),
  get: async (id, context) => userInWire(await userAt(id, context, options.db), context.site),
  create: (body, context) => createUser(options, body, context),
  replace: (target, body, context) => changeUser(options, target, context, () => readUser(body)),
  patch: (target, body, context) =>
    changeUser(options, target, context, (now) => patchedUser(now, body)),
  remove: (target, context) => removeUser(options, target, context),
});

const listUsers = ({ db }: ScimOptions, query: ListQuery, { token, site }: ScimContext) =>
  listResources(query, {
    columns: USER_COLUMNS,
    find: (condition, tail) => findUsers(token, condition, tail, db),
    count: async (condition) => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from account a
          left join scim_user u on u.user_id = a.id
          where ${within(token)} and ${condition}`.execute(db);
      return rows[0]?.count ?? 0;
    },
    order: sql`lower(a.username), a.id`,
    wire: (row) => userInWire(row, site),
  });

async function userAt(id: string, { token }: ScimContext, on: Db | Tx): Promise<UserRow> {
  const [row] = isId(id) ? await findUsers(token, sql`a.id = ${id}::uuid`, sql``, on) : [];
  if (!row) throw notFound(id);
  return row;
}

function storeProfile(
  { externalId, profile }: Pick<UserInput, 'externalId' | 'profile'>,
  id: string,
  tx: Tx,
) {
  return sql`
    insert into scim_user (user_id, external_id, profile)
      values (${id}, ${externalId}, ${JSON.stringify(profile)}::jsonb)
    on conflict (user_id) do update set external_id = excluded.external_id,
      profile = excluded.profile, is_deleted = false, date_changed = now()`.execute(tx);
}

/** Stores an account and returns its representation. */
async function storeUser(
  { context, tx, ...options }: ScimOptions & { context: ScimContext; tx: Tx },
  id: string,
  input: UserInput,
): Promise<Json> {
  const { username, name, email, phone, active } = input;
  const body = { username, name, email, phone, ...(active !== undefined && { is_active: active }) };
  await writerIn(options).change(id, body, callerOf(context), { tx });
  await storeProfile(input, id, tx);
  return userInWire(await userAt(id, context, tx), context.site);
}

function createUser(options: ScimOptions, body: unknown, context: ScimContext): Promise<Json> {
  const { source } = context.token;
  return withScimErrors(() =>
    transact(options.db, async (tx) => {
      await lockGrants(tx);
      const input = readUser(body);
      const { username, name, email, phone, active = true } = input;
      // A user that the provider deleted earlier is restored with the history of the account.
      const { rows } = await sql<{ id: string }>`
        select a.id from account a join scim_user u on u.user_id = a.id and u.is_deleted
          where a.source = ${source} and folded_name(a.username) = folded_name(${username})`.execute(
        tx,
      );
      const [back] = rows;
      if (back) return storeUser({ ...options, context, tx }, back.id, { ...input, active });
      const taken =
        await sql`select 1 from account where folded_name(username) = folded_name(${username})`.execute(
          tx,
        );
      if (taken.rows.length > 0)
        throw new ScimError(409, `userName: ${username} exists already`, 'uniqueness');
      const row = await writerIn(options).create(
        { username, name, email, phone, is_active: active, source },
        callerOf(context),
        { tx },
      );
      await storeProfile(input, String(row.id), tx);
      return userInWire(await userAt(String(row.id), context, tx), context.site);
    }),
  );
}

/** Changes a user, computed from the current row in the same transaction. */
const changeUser = (
  options: ScimOptions,
  { id, match }: Target,
  context: ScimContext,
  compute: (now: Json) => UserInput,
): Promise<Json> =>
  withScimErrors(() =>
    transact(options.db, async (tx) => {
      await lockGrants(tx);
      const now = userInWire(await userAt(id, context, tx), context.site);
      assertMatch(match, now);
      return storeUser({ ...options, context, tx }, id, compute(now));
    }),
  );

/**
 * Applies a patch to a user. `name` and `displayName` hold the same value. An unchanged one must
 * not override the one that the client sent.
 */
function patchedUser(now: Json, body: unknown): UserInput {
  const { displayName: _shown, ...base } = now;
  const result = patched(base, body);
  const names = (resource: Json) => (isRecord(resource.name) ? resource.name : {});
  const [before, after] = [names(base), names(result)];
  const isComposed =
    memberOf(before, 'formatted') === memberOf(after, 'formatted') &&
    ['givenName', 'familyName'].some((part) => before[part] !== after[part]);
  const { formatted: _old, ...parts } = after;
  return readUser(isComposed ? { ...result, name: parts } : result);
}

/** Deletes or disables an account, by the settings. */
function removeUser(
  options: ScimOptions,
  { id, match }: Target,
  context: ScimContext,
): Promise<void> {
  const writer = writerIn(options);
  return withScimErrors(() =>
    transact(options.db, async (tx) => {
      await lockGrants(tx);
      const row = await userAt(id, context, tx);
      assertMatch(match, userInWire(row, context.site));
      if (options.deletes()) return writer.remove([id], callerOf(context), { tx });
      await writer.change(id, { is_active: false }, callerOf(context), { tx });
      await storeProfile({ externalId: null, profile: row.profile }, id, tx);
      await sql`update scim_user set is_deleted = true where user_id = ${id}`.execute(tx);
    }),
  );
}
