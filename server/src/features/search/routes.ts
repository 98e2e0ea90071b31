import {
  choice,
  type Fields,
  formatDatetime,
  integer,
  isUuid,
  type LocalText,
  Permission,
  QUICK_CONNECT_MOST,
  type QuickConnectAsset,
  RESOURCES,
  type SearchAnswer,
  type SearchHit,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import { compareNames } from '../../platform/natural-order.ts';
import { readPaging } from '../../resources/read/page.ts';
import { findGrantedAssets, type GrantService } from '../perms/index.ts';
import { weightOf } from './kinds.ts';
import type { Searcher } from './search.ts';
import { addUse, isOneOf, knownAssets } from './store.ts';

/** Places that favorites leave for recently used assets. */
const FOR_RECENT = 4;
/**
 * Assets that are checked for access. More than the list shows, as some may no longer be granted.
 */
const LOOKED_UP = 300;

/**
 * The assets that a user most likely connects to next: granted favorites by name, then recently
 * used ones, latest first.
 */
async function quickConnect(
  { actor, zone }: Caller,
  db: Db,
  grants: GrantService,
): Promise<QuickConnectAsset[]> {
  const { favorites, uses } = await knownAssets(actor.userId, db);
  const now = new Date();
  const weights = new Map<string, number>();
  const dates = new Map<string, Date>();
  for (const use of uses) {
    weights.set(use.id, (weights.get(use.id) ?? 0) + weightOf(use, now));
    const known = dates.get(use.id);
    if (!known || known < use.date) dates.set(use.id, use.date);
  }
  const last = (id: string) => dates.get(id)?.getTime() ?? 0;
  const ids = [
    ...new Set([
      ...favorites,
      ...[...dates.keys()].toSorted((one, other) => last(other) - last(one)),
    ]),
  ].slice(0, LOOKED_UP);
  if (ids.length === 0) return [];
  const view = await grants.view({ userId: actor.userId, organizationId: undefined });
  const granted = await findGrantedAssets(db, view, isOneOf(ids), ids.length);
  const marked = new Set(favorites);
  const recent = granted
    .filter(({ id }) => !marked.has(id))
    .toSorted((one, other) => last(other.id) - last(one.id));
  const weight = (id: string) => weights.get(id) ?? 0;
  const room = QUICK_CONNECT_MOST - Math.min(recent.length, FOR_RECENT);
  // The most used favorites are selected, but sorted by name: each keeps its digit as shortcut.
  const starred = granted
    .filter(({ id }) => marked.has(id))
    .toSorted(
      (one, other) =>
        weight(other.id) - weight(one.id) || compareNames(one.hostname, other.hostname),
    )
    .slice(0, room)
    .toSorted((one, other) => compareNames(one.hostname, other.hostname));
  return [...starred, ...recent].slice(0, QUICK_CONNECT_MOST).map(({ id, hostname, ip }) => {
    const date = dates.get(id);
    return {
      id,
      hostname,
      ip,
      favorite: marked.has(id),
      date_last: date ? formatDatetime(date, zone) : null,
    };
  });
}

const URL = '/api/v1/search/';
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;
/** Maximum results per kind, so that other kinds get space. */
const OF_EACH_KIND = 6;
const MAX_TEXT = 256;

const KINDS = RESOURCES.filter(({ searchable }) => searchable !== undefined);
const KIND_LABEL: LocalText = { en: 'Kind', zh: '类型' };
const KIND_CHOICES = KINDS.map(({ name, title }) => ({ value: name, label: title }));

const SEARCH_FIELDS: Fields = {
  q: text({
    label: { en: 'Search', zh: '搜索' },
    max: MAX_TEXT,
    required: false,
    example: 'web prod',
  }),
  role: integer({
    label: { en: 'Permission bits to search with', zh: '搜索所用的权限位' },
    nullable: true,
  }),
  kind: text({ label: KIND_LABEL, max: 64, required: false }),
  limit: integer({ label: { en: 'Limit', zh: '数量' }, nullable: true }),
};
const USE_FIELDS = {
  kind: choice({ label: KIND_LABEL, choices: KIND_CHOICES }),
  object: text({ label: { en: 'Object', zh: '对象' }, max: 36, example: exampleId('asset') }),
};

const asset: SearchHit = {
  kind: 'asset',
  id: exampleId('asset'),
  title: 'web-prod-01',
  note: '10.20.30.41',
  page: `assets/assets/${exampleId('asset')}`,
  connects: exampleId('asset'),
  fit: 1,
};
const own: SearchHit = {
  ...asset,
  kind: 'session',
  id: exampleId('session'),
  title: 'Li Wei(li.wei) · web-prod-01',
  page: null,
  connects: null,
  fit: 4,
};
const ANSWER = samples<SearchAnswer>({ results: [asset] }, { results: [own, asset] });

const QUICK: readonly QuickConnectAsset[] = [
  {
    id: exampleId('asset'),
    hostname: 'web-prod-01',
    ip: '10.20.30.41',
    favorite: true,
    date_last: '2026-11-20 09:30:00 +0800',
  },
];

/** Routes to search all objects, and to record the use of results. */
export function mountSearch(
  app: FastifyInstance,
  {
    db,
    searcher,
    grants,
  }: { readonly db: Db; readonly searcher: Searcher; readonly grants: GrantService },
): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.USE,
    area: 'own',
    summary:
      'Search objects of all kinds that the caller may see, the best match first. Without a text: recently used objects.',
    query: SEARCH_FIELDS,
    answer: ANSWER,
    async handler(context): Promise<SearchAnswer> {
      const { query, actor } = context;
      const words = query.get('q') ?? '';
      if (words.includes('\u0000')) throw invalid('q', 'nul_byte');
      const limit = Math.min(readPaging(query).limit ?? DEFAULT_LIMIT, MAX_LIMIT);
      const kind = query.get('kind') || undefined;
      if (kind !== undefined && !KINDS.some(({ name }) => name === kind))
        throw invalid('kind', 'not_choice', { value: kind.slice(0, 64) });
      const limitOfKind = kind === undefined ? OF_EACH_KIND : limit;
      const results = await searcher.find(
        { text: words.slice(0, MAX_TEXT), bits: bitsOf(context), kind, limit, limitOfKind },
        { ...context, actor },
      );
      return { results };
    },
  });

  route(app, {
    method: 'GET',
    url: `${URL}quick-connect/`,
    access: Permission.USE,
    summary:
      'The favorite and recently used assets of the caller that the caller may connect to now.',
    answer: samples<readonly QuickConnectAsset[]>(QUICK),
    handler: (context): Promise<readonly QuickConnectAsset[]> => quickConnect(context, db, grants),
  });

  route(app, {
    method: 'POST',
    url: `${URL}uses/`,
    access: Permission.USE,
    area: 'own',
    summary: 'Record that the caller opened an object, so that searches rank it higher.',
    body: USE_FIELDS,
    status: 204,
    async handler(context) {
      const used = readBody(context, USE_FIELDS);
      if (!isUuid(used.object)) throw invalid('object', 'not_uuid', { value: used.object });
      await addUse(context.actor.userId, used.kind, used.object, db);
      context.reply.code(204);
      return null;
    },
  });
}

/**
 * The permission bits of the role in which the caller's page searches, limited to the caller's own
 * bits.
 */
function bitsOf({ query, actor }: Context): number {
  const role = query.get('role');
  if (role === null || role === '') return actor.permissions;
  if (!/^\d{1,9}$/.test(role)) throw invalid('role', 'not_integer');
  return actor.permissions & Number(role);
}
