import type { Readable } from 'node:stream';
import {
  assetPermission,
  choice,
  DEFAULT_UNUSED_DAYS,
  type Fields,
  formatDatetime,
  type LocalText,
  type Page,
  Permission,
  type PermissionUse,
  say,
  UNUSED_DAYS,
  UNUSED_KINDS,
  type UnusedAccess,
  type UnusedKind,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { neighbors } from '../../../http/page.ts';
import { requestedFileType, tableFile } from '../../../http/resources/csv.ts';
import { parameter, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { invalid } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { ResourceServices } from '../../../resources/hooks.ts';
import { readPaging } from '../../../resources/read/page.ts';
import { streamRows } from '../../../resources/read/reader.ts';
import { likePattern } from '../../../resources/read/search.ts';
import { searchText } from '../store.ts';
import { allUnused, findUnused, type UnusedOrder, type UnusedRow, useOf } from './store.ts';

const MAX_ROWS = 500;
const DEFAULT_ROWS = 15;

const ORDERS: readonly UnusedOrder['by'][] = ['permission', 'since', 'last_used', 'valid_until'];
const ORDER_NAMES = ORDERS.flatMap((by) => [by, `-${by}`]);

const KIND_TEXTS: Readonly<Record<UnusedKind, LocalText>> = {
  permission: { en: 'Permission', zh: '授权' },
  user: { en: 'User', zh: '用户' },
  user_group: { en: 'User group', zh: '用户组' },
  asset: { en: 'Asset', zh: '资产' },
  node: { en: 'Node', zh: '节点' },
};
const NEVER: LocalText = { en: 'Never', zh: '从未' };

const QUERY: Fields = {
  days: choice({
    label: { en: 'Days', zh: '天数' },
    choices: UNUSED_DAYS.map((days) => ({
      value: String(days),
      label: { en: `${days} days`, zh: `${days} 天` },
    })),
  }),
  kind: choice({
    label: { en: 'Kind', zh: '类型' },
    choices: UNUSED_KINDS.map((kind) => ({ value: kind, label: KIND_TEXTS[kind] })),
  }),
  order: choice({
    label: { en: 'Order', zh: '排序' },
    choices: ORDER_NAMES.map((name) => ({ value: name, label: { en: name, zh: name } })),
  }),
};

const COLUMNS: readonly { readonly name: string; readonly label: LocalText }[] = [
  { name: 'permission_display', label: assetPermission.title },
  { name: 'kind', label: { en: 'Unused', zh: '未使用的内容' } },
  { name: 'member_display', label: { en: 'Name', zh: '名称' } },
  { name: 'since', label: { en: 'Granted since', zh: '授权始于' } },
  { name: 'last_used', label: { en: 'Last used', zh: '最近使用' } },
  { name: 'valid_until', label: { en: 'Until', zh: '有效期至' } },
];

const one: UnusedAccess = {
  id: exampleId('asset_permission'),
  kind: 'permission',
  permission: exampleId('asset_permission'),
  permission_display: 'Web servers for the shop team',
  member: null,
  member_display: null,
  since: '2026-01-01 08:00:00 +0800',
  last_used: null,
  valid_until: '2026-12-31 18:00:00 +0800',
};
const ANSWER = samples<Page<UnusedAccess>>(
  { count: 1, next: null, previous: null, results: [one] },
  {
    count: 31,
    next: 'http://localhost:8080/?limit=15&offset=15',
    previous: 'http://localhost:8080/?limit=15',
    results: [
      {
        ...one,
        kind: 'user',
        member: exampleId('user'),
        member_display: 'Li Wei(li.wei)',
        last_used: '2026-03-01 08:00:00 +0800',
      },
    ],
  },
);

const USE = samples<PermissionUse>(
  {
    last_used: '2026-03-01 08:00:00 +0800',
    users: 3,
    named: 12,
    days: DEFAULT_UNUSED_DAYS,
    is_new: false,
  },
  { last_used: null, users: 0, named: 12, days: DEFAULT_UNUSED_DAYS, is_new: true },
);

/**
 * Returns a query parameter; undefined if it is absent. @throws Invalid if it is not one of `among`
 */
function readChoice<T extends string>(
  query: URLSearchParams,
  name: string,
  among: readonly T[],
): T | undefined {
  const value = (query.getAll(name).at(-1) ?? '').trim();
  if (value === '') return undefined;
  const match = among.find((known) => known === value);
  if (match === undefined) throw invalid(name, 'not_choice', { value: value.slice(0, 64) });
  return match;
}

/** Parses the query string. @throws Invalid */
function readQuestion(query: URLSearchParams) {
  const order = readChoice(query, 'order', ORDER_NAMES) ?? 'permission';
  const by = ORDERS.find((name) => name === order.replace('-', '')) ?? 'permission';
  const search = searchText(query);
  return {
    days: Number(readChoice(query, 'days', UNUSED_DAYS.map(String)) ?? DEFAULT_UNUSED_DAYS),
    kind: readChoice(query, 'kind', UNUSED_KINDS),
    search: search === '' ? undefined : likePattern(search),
    order: { by, descending: order.startsWith('-') },
  };
}

function toUnusedAccess(
  { kind, permission, permissionName, member, memberName, since, lastUsed, validUntil }: UnusedRow,
  zone: string,
): UnusedAccess {
  return {
    id: [permission, ...(member === null ? [] : [kind, member])].join(':'),
    kind,
    permission,
    permission_display: permissionName,
    member,
    member_display: memberName,
    since: formatDatetime(since, zone),
    last_used: lastUsed && formatDatetime(lastUsed, zone),
    valid_until: formatDatetime(validUntil, zone),
  };
}

/** Mounts the list of unused access, and the use of one permission. */
export function mountUnusedAccess(
  app: FastifyInstance,
  { engines, services }: { readonly engines: Engines; readonly services: ResourceServices },
): void {
  const { db, replica = db, longReads } = services;
  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/unused/',
    access: Permission.ADMIN,
    area: 'permissions',
    summary:
      'List permissions without use for 30, 90 or 180 days, and unused users, groups, assets and nodes of used permissions.',
    query: QUERY,
    answer: ANSWER,
    async handler(context): Promise<Page<UnusedAccess> | Readable> {
      const question = {
        ...readQuestion(context.query),
        organizationId: context.actor.organization.id,
      };
      const toWire = (row: UnusedRow) => toUnusedAccess(row, context.zone);
      if (requestedFileType(context)) {
        const { order, ...rest } = question;
        const all = allUnused(rest, order);
        return unusedFile(
          streamRows<UnusedRow, UnusedAccess>({ db: replica, longReads }, all, (rows) =>
            rows.map(toWire),
          ),
          context,
        );
      }
      const { limit = DEFAULT_ROWS, offset } = readPaging(context.query, MAX_ROWS);
      const { count, rows } = await findUnused({ ...question, offset, limit }, db);
      const results = rows.map(toWire);
      return { count, ...neighbors(context, limit, offset, count), results };
    },
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/permissions/:permission/use/',
    access: Permission.ADMIN,
    area: 'permissions',
    summary: 'The last use of a permission and the number of its recent users.',
    answer: USE,
    async handler(context): Promise<PermissionUse> {
      const { id } = await engineOf(engines, assetPermission).reader.retrieve(
        parameter(context, 'permission'),
        context,
      );
      const { lastUsed, users, members, isNew } = await useOf(String(id), DEFAULT_UNUSED_DAYS, db);
      return {
        last_used: lastUsed && formatDatetime(lastUsed, context.zone),
        users,
        named: members,
        days: DEFAULT_UNUSED_DAYS,
        is_new: isNew,
      };
    },
  });
}

function unusedFile(rows: AsyncIterable<UnusedAccess[]>, context: Context): Promise<Readable> {
  const { language } = context;
  async function* batches(): AsyncGenerator<object[]> {
    for await (const batch of rows)
      yield batch.map((row) => ({
        ...row,
        kind: say(KIND_TEXTS[row.kind], language),
        last_used: row.last_used ?? say(NEVER, language),
      }));
  }
  return tableFile(
    {
      name: 'unused-access',
      columns: COLUMNS.map(({ name, label }) => ({ name, header: say(label, language) })),
    },
    batches(),
    context,
  );
}
