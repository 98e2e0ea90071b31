import { user, userGroup } from '@sallyport/contract';
import { sql } from 'kysely';
import { type Caller, systemCaller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { transact } from '../../platform/db/retry.ts';
import { inSlices } from '../../platform/slices.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { lockGrants } from '../perms/index.ts';
import { ScimError } from './errors.ts';
import { isRecord, memberOf } from './filter.ts';
import { type ListQuery, listResources } from './list.ts';
import { patched, patching } from './patch.ts';
import { assertMatch, withScimErrors } from './service-errors.ts';
import {
  findGroups,
  findMembers,
  findUsers,
  GROUP_COLUMNS,
  USER_COLUMNS,
  within,
} from './store.ts';
import type { KnownToken } from './tokens.ts';
import {
  type GroupRow,
  groupInWire,
  type Json,
  readGroup,
  readUser,
  type UserInput,
  type UserRow,
  userInWire,
} from './wire.ts';

export interface ScimOptions {
  readonly db: Db;
  readonly engines: Engines;
  /** Returns true if a deletion removes the account. Otherwise it disables the account. */
  readonly deletes: () => boolean;
}

/** The token of a request, and the address of this server. */
export interface ScimContext {
  readonly token: KnownToken;
  readonly remoteAddress: string;
  readonly site: string;
}

const notFound = (id: string) => new ScimError(404, `Resource ${id.slice(0, 64)} not found.`);
const isId = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

/** Creates the SCIM operations on accounts and groups. */
export function createScim({ db, engines, deletes }: ScimOptions) {
  const { writer: users } = engineOf(engines, user);
  const { writer: groups } = engineOf(engines, userGroup);
  const callerOf = ({ token, remoteAddress }: ScimContext): Caller => {
    const { actor, ...rest } = systemCaller('SCIM', remoteAddress);
    return {
      ...rest,
      language: 'en',
      actor: {
        ...actor,
        username: token.name,
        session: { ...actor.session, source: token.source },
      },
    };
  };

  const userAt = async (id: string, { token }: ScimContext, on: Db | Tx): Promise<UserRow> => {
    const [row] = isId(id) ? await findUsers(token, sql`a.id = ${id}::uuid`, sql``, on) : [];
    if (!row) throw notFound(id);
    return row;
  };
  const groupAt = async (id: string, { token }: ScimContext, on: Db | Tx): Promise<GroupRow> => {
    const [row] = isId(id) ? await findGroups(token, sql`g.id = ${id}::uuid`, sql``, on) : [];
    if (!row) throw notFound(id);
    return row;
  };

  const storeProfile = (
    { externalId, profile }: Pick<UserInput, 'externalId' | 'profile'>,
    id: string,
    tx: Tx,
  ) =>
    sql`
    insert into scim_user (user_id, external_id, profile)
      values (${id}, ${externalId}, ${JSON.stringify(profile)}::jsonb)
    on conflict (user_id) do update set external_id = excluded.external_id,
      profile = excluded.profile, is_deleted = false, date_changed = now()`.execute(tx);

  const storeUser = async (
    id: string,
    wanted: UserInput,
    context: ScimContext,
    tx: Tx,
  ): Promise<UserRow> => {
    const { username, name, email, phone, active } = wanted;
    const body = {
      username,
      name,
      email,
      phone,
      ...(active !== undefined && { is_active: active }),
    };
    await users.update(id, body, 'change', callerOf(context), { tx });
    await storeProfile(wanted, id, tx);
    return userAt(id, context, tx);
  };

  /** Changes a user, computed from the current row in the same transaction. */
  const changeUser = (
    id: string,
    match: string | undefined,
    context: ScimContext,
    compute: (now: Json) => UserInput,
  ): Promise<Json> =>
    withScimErrors(() =>
      transact(db, async (tx) => {
        await lockGrants(tx);
        const now = userInWire(await userAt(id, context, tx), context.site);
        assertMatch(match, now);
        return userInWire(await storeUser(id, compute(now), context, tx), context.site);
      }),
    );

  /** Rejects members outside of the token's scope. */
  const assertMembers = async (
    members: readonly string[],
    { token }: ScimContext,
    tx: Tx,
  ): Promise<void> => {
    const known = members.every(isId) ? await findMembers(members, token, tx) : 0;
    if (known !== members.length)
      throw new ScimError(400, 'members: one is no user that this token reaches', 'invalidValue');
  };

  const changeGroup = (
    id: string,
    match: string | undefined,
    context: ScimContext,
    compute: (now: Json) => unknown,
  ): Promise<Json> =>
    withScimErrors(() =>
      transact(db, async (tx) => {
        await lockGrants(tx);
        const row = await groupAt(id, context, tx);
        const now = groupInWire(row, context.site);
        assertMatch(match, now);
        const next = readGroup(await compute(now));
        await assertMembers(next.members, context, tx);
        // Members that an administrator added are not managed by the provider, and stay.
        const ours = new Set(row.members.map((member) => member.id));
        const { rows: all } = await sql<{
          user_id: string;
        }>`select user_id from user_group_users where user_group_id = ${id}`.execute(tx);
        const others = all
          .map(({ user_id: userId }) => userId)
          .filter((userId) => !ours.has(userId));
        await groups.update(
          id,
          { name: next.name, users: [...new Set([...others, ...next.members])] },
          'change',
          callerOf(context),
          { tx },
        );
        await sql`update scim_group set external_id = ${next.externalId}, date_changed = now()
          where group_id = ${id}`.execute(tx);
        return groupInWire(await groupAt(id, context, tx), context.site);
      }),
    );

  return {
    listUsers: (query: ListQuery, { token, site }: ScimContext) =>
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
      }),
    getUser: async (id: string, context: ScimContext) =>
      userInWire(await userAt(id, context, db), context.site),
    createUser: (body: unknown, context: ScimContext): Promise<Json> =>
      withScimErrors(() =>
        transact(db, async (tx) => {
          await lockGrants(tx);
          const input = readUser(body);
          const { username, name, email, phone, active = true } = input;
          // A user that the provider deleted earlier is restored with the history of the account.
          const { rows } = await sql<{ id: string }>`
            select a.id from account a join scim_user u on u.user_id = a.id and u.is_deleted
            where a.source = ${context.token.source} and lower(a.username) =
              lower(${username})`.execute(tx);
          const [back] = rows;
          if (back)
            return userInWire(
              await storeUser(back.id, { ...input, active }, context, tx),
              context.site,
            );
          const taken =
            await sql`select 1 from account where lower(username) = lower(${username})`.execute(tx);
          if (taken.rows.length > 0)
            throw new ScimError(409, `userName: ${username} exists already`, 'uniqueness');
          const row = await users.create(
            { username, name, email, phone, is_active: active, source: context.token.source },
            callerOf(context),
            { tx },
          );
          await storeProfile(input, String(row.id), tx);
          return userInWire(await userAt(String(row.id), context, tx), context.site);
        }),
      ),
    replaceUser: (id: string, body: unknown, match: string | undefined, context: ScimContext) =>
      changeUser(id, match, context, () => readUser(body)),
    patchUser: (id: string, body: unknown, match: string | undefined, context: ScimContext) =>
      changeUser(id, match, context, (now) => {
        // `name` and `displayName` hold the same value. An unchanged one must not override the one
        // that the client sent.
        const { displayName: _shown, ...base } = now;
        const result = patched(base, body);
        const names = (resource: Json) => (isRecord(resource.name) ? resource.name : {});
        const [before, after] = [names(base), names(result)];
        const isComposed =
          memberOf(before, 'formatted') === memberOf(after, 'formatted') &&
          ['givenName', 'familyName'].some((part) => before[part] !== after[part]);
        const { formatted: _old, ...parts } = after;
        return readUser(isComposed ? { ...result, name: parts } : result);
      }),
    deleteUser: (id: string, match: string | undefined, context: ScimContext): Promise<void> =>
      withScimErrors(() =>
        transact(db, async (tx) => {
          await lockGrants(tx);
          const row = await userAt(id, context, tx);
          assertMatch(match, userInWire(row, context.site));
          if (deletes()) return users.remove([id], callerOf(context), { tx });
          await users.update(id, { is_active: false }, 'change', callerOf(context), { tx });
          await storeProfile({ externalId: null, profile: row.profile }, id, tx);
          await sql`update scim_user set is_deleted = true where user_id = ${id}`.execute(tx);
        }),
      ),

    listGroups: (query: ListQuery, { token, site }: ScimContext) =>
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
      }),
    getGroup: async (id: string, context: ScimContext) =>
      groupInWire(await groupAt(id, context, db), context.site),
    createGroup: (body: unknown, context: ScimContext): Promise<Json> =>
      withScimErrors(() =>
        transact(db, async (tx) => {
          await lockGrants(tx);
          const input = readGroup(body);
          await assertMembers(input.members, context, tx);
          const row = await groups.create(
            { name: input.name, users: input.members },
            callerOf(context),
            { tx },
          );
          await sql`
            insert into scim_group (group_id, source, external_id)
              values (${String(row.id)}, ${context.token.source}, ${input.externalId})`.execute(tx);
          return groupInWire(await groupAt(String(row.id), context, tx), context.site);
        }),
      ),
    replaceGroup: (id: string, body: unknown, match: string | undefined, context: ScimContext) =>
      changeGroup(id, match, context, () => body),
    patchGroup: (id: string, body: unknown, match: string | undefined, context: ScimContext) =>
      changeGroup(id, match, context, (now) => inSlices(patching(now, body))),
    deleteGroup: (id: string, match: string | undefined, context: ScimContext): Promise<void> =>
      withScimErrors(() =>
        transact(db, async (tx) => {
          await lockGrants(tx);
          assertMatch(match, groupInWire(await groupAt(id, context, tx), context.site));
          await groups.remove([id], callerOf(context), { tx });
        }),
      ),
  };
}

export type Scim = ReturnType<typeof createScim>;
