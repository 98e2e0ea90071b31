import { isUuid, type LocalText, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { withNeighbors } from '../../http/page.ts';
import { route } from '../../http/route.ts';
import { pagedListOf, samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid, Rejected } from '../../platform/errors.ts';
import { MAX_LIMIT, readPaging } from '../../resources/read/page.ts';

/** A kind of object that permissions connect with system users. */
interface Kind {
  readonly key: 'asset' | 'node' | 'user';
  readonly title: LocalText;
  /** Query for pairs of permission and object. */
  readonly links: Sql;
  /** Table of the objects, used with alias `o`. */
  readonly table: Sql;
  readonly display: Sql;
  readonly example: string;
}

const KINDS: readonly Kind[] = [
  {
    key: 'asset',
    title: { en: 'assets', zh: '资产' },
    links: sql`select asset_permission_id as rule, asset_id as object from asset_permission_assets`,
    table: sql`asset`,
    display: sql`o.hostname || '(' || o.ip || ')'`,
    example: 'web-prod-01(10.20.30.41)',
  },
  {
    key: 'node',
    title: { en: 'nodes', zh: '节点' },
    links: sql`select asset_permission_id as rule, node_id as object from asset_permission_nodes`,
    table: sql`node`,
    display: sql`(select string_agg(above.value, ' / ' order by length(above.key)) from node above
      where above.id = any (o.ancestors))`,
    example: 'DEFAULT / web',
  },
  {
    key: 'user',
    title: { en: 'users', zh: '用户' },
    links: sql`select asset_permission_id as rule, user_id as object from asset_permission_users
      union select named.asset_permission_id, member.user_id from asset_permission_user_groups named
        join user_group_users member on member.user_group_id = named.user_group_id`,
    table: sql`account`,
    display: sql`o.name || '(' || o.username || ')'`,
    example: 'Li Wei(li.wei)',
  },
];

/** Returns an id from the query string; undefined if it is absent. @throws Invalid */
function idIn({ query }: Context, name: string): string | undefined {
  const value = (query.getAll(name).at(-1) ?? '').trim();
  if (value === '') return undefined;
  if (!isUuid(value)) throw invalid(name, 'not_uuid', { value: value.slice(0, 64) });
  return value;
}

/**
 * Mounts the lists of pairs of system users with assets, nodes and users that existing clients
 * read. Permissions define these pairs, so the lists are read-only. Writes are rejected with a
 * message that says so.
 */
export function mountSystemUserRelations(app: FastifyInstance, db: Db): void {
  for (const kind of KINDS) {
    const url = `/api/v1/assets/system-users-${kind.key}s-relations/`;
    const pair = {
      id: 1_048_576,
      [kind.key]: exampleId(kind.key),
      [`${kind.key}_display`]: kind.example,
      systemuser: exampleId('system_user'),
      systemuser_display: 'deploy(deploy)',
    };
    route(app, {
      method: 'GET',
      url,
      access: Permission.ADMIN,
      area: 'permissions',
      summary: `The ${kind.title.en} that permissions in force give system users; read-only.`,
      answer: pagedListOf(samples(pair)),
      handler: async (context) => withNeighbors(context, await pairsOf(kind, context, db)),
    });
    for (const method of ['POST', 'DELETE'] as const)
      route(app, {
        method,
        url,
        access: Permission.ADMIN,
        area: 'permissions',
        summary: `Always refused: permissions give system users their ${kind.title.en}.`,
        answer: samples(pair),
        handler: () => {
          throw new Rejected('system_user_by_permissions');
        },
      });
  }
}

async function pairsOf({ key, links, table, display }: Kind, context: Context, db: Db) {
  const { limit, offset } = readPaging(context.query);
  const [object, systemUser] = [idIn(context, key), idIn(context, 'systemuser')];
  const search = (context.query.getAll('search').at(-1) ?? '')
    .trim()
    .slice(0, 256)
    .replaceAll('\u0000', '')
    .toLowerCase();
  // The id of a pair is a digest of its two ids, which keeps it stable.
  const { rows } = await sql<Record<string, unknown> & { total: number }>`
    with pair as (
      select distinct link.object, s.id as systemuser from asset_permission p
        join asset_permission_system_users used on used.asset_permission_id = p.id
      join system_account s on s.id = used.system_user_id
        join (${links}) link on link.rule = p.id
      where p.org_id = ${context.actor.organization.id} and p.is_active and p.date_start <= now()
        and p.date_expired > now()
        ${systemUser ? sql`and s.id = ${systemUser}` : sql``}
          ${object ? sql`and link.object = ${object}` : sql``}
    )
    select ('x' || substr(md5(pair.systemuser::text || pair.object::text), 1,
      12))::bit(48)::bigint as id, pair.object as ${sql.ref(key)},
      ${display} as ${sql.ref(`${key}_display`)}, pair.systemuser,
        s.name || '(' || s.username || ')' as systemuser_display, count(*) over () as total
    from pair join ${table} o on o.id = pair.object join system_account s on s.id = pair.systemuser
    where ${
      search === ''
        ? sql`true`
        : sql`position(${search}
      in lower(${display} || ' ' || s.name || ' ' || s.username)) > 0`
    }
    order by ${display}, s.name, pair.object limit ${limit ?? MAX_LIMIT} offset ${offset}`.execute(
    db,
  );
  const results = rows.map(({ total: _, ...pair }) => pair);
  if (limit === undefined) return results;
  const [first] = rows;
  return { count: first ? first.total : offset, results };
}
