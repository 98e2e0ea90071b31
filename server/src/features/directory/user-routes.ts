import { ERRORS, type LdapImport, type LdapUser, list, type Page, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type Context, callerOf } from '../../http/context.ts';
import { neighbors } from '../../http/page.ts';
import { readBody, route } from '../../http/route.ts';
import { pagedListOf, samples } from '../../http/shapes.ts';
import { systemCaller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { Conflict, invalid, Rejected } from '../../platform/errors.ts';
import { SUPER } from '../../platform/settings/service.ts';
import { type Paging, readPaging } from '../../resources/read/page.ts';
import type { Writer } from '../../resources/write/writer.ts';
import { type Imported, importPeople } from '../identity/index.ts';
import { listPeople, PEOPLE_ORDERS, type PeopleQuery, peopleNamed } from './store.ts';
import type { Sync } from './sync.ts';

const MAX_CHOSEN = 10_000;
const READING = say(ERRORS.directory_reading, 'en', { count: 1_000 });
/** Example id of the job that reads the directory. */
const READER = '6f1c1e0a-2b3d-4c5e-8f90-123456789abc';
const CHOSEN = {
  username_list: {
    ...list({ label: { en: 'Usernames', zh: '用户名' }, max: 128, maxItems: MAX_CHOSEN }),
    required: false,
  },
};
function readQuery(query: URLSearchParams): PeopleQuery & Paging {
  const text = (name: string) => (query.getAll(name).at(-1) ?? '').trim().slice(0, 256);
  for (const name of ['search', 'order'])
    if (text(name).includes('\u0000')) throw invalid(name, 'nul_byte');
  const wished = text('order') || 'existing';
  const column = wished.replace(/^-/, '');
  const order = PEOPLE_ORDERS.find((known) => known === column);
  if (!order) throw invalid('order', 'not_choice', { value: wished.slice(0, 64) });
  return {
    search: text('search').toLowerCase(),
    order,
    descending: wished.startsWith('-'),
    ...readPaging(query),
  };
}

interface DirectoryOptions {
  readonly db: Db;
  readonly sync: Sync;
  readonly accounts: () => Writer;
}

/**
 * Ensures a filled cache.
 * @throws Conflict while the directory is being read
 * @throws Rejected if reading failed
 */
async function prepare(
  { sync }: DirectoryOptions,
  context: Context,
  mayBegin: boolean,
): Promise<void> {
  const policy = (context.query.getAll('cache_police').at(-1) ?? '1').toLowerCase();
  if (policy !== '1' && policy !== 'true') {
    const id = await sync.begin(callerOf(context));
    if (id !== undefined) await sync.finished(id);
  }
  const { state, people, reason, job } = await sync.current();
  if (state === 'done') return;
  if (state === 'failed') throw new Rejected('directory_failed', { step: 'LDAP', reason });
  if (state === 'none' && !mayBegin) throw new Rejected('directory_not_read');
  const id = state === 'none' ? await sync.begin(callerOf(context)) : job;
  throw new Conflict(
    'directory_reading',
    { count: people },
    { ...(id !== undefined && { job: id }) },
  );
}

/** Lists the people of the directory. */
async function listUsers(
  options: DirectoryOptions,
  context: Context,
): Promise<LdapUser[] | Page<LdapUser>> {
  const listing = readQuery(context.query);
  await prepare(options, context, true);
  const { limit, offset } = listing;
  const { rows, count } = await listPeople(listing, options.db);
  if (limit === undefined) return rows;
  return { count, ...neighbors(context, limit, offset, count), results: rows };
}

/** Empties the cache and starts to read the directory. */
async function refresh({ sync }: DirectoryOptions, context: Context) {
  const job = await sync.refresh(callerOf(context));
  return {
    msg: say({ en: 'Reading the directory.', zh: '正在读取用户目录。' }, context.language),
    ...(job !== undefined && { job }),
  };
}

/** Creates or updates the accounts of people of the directory. */
async function importUsers(options: DirectoryOptions, context: Context): Promise<LdapImport> {
  const { db, accounts } = options;
  const { actor } = context;
  const { username_list: chosen = [] } = readBody(context, CHOSEN);
  await prepare(options, context, false);
  const usernames = [...new Set(chosen)];
  const people = await peopleNamed(usernames, db);
  const listed = new Set(people.map(({ username }) => username));
  const unknown = usernames
    .filter((name) => !listed.has(name))
    .map(
      (username): Imported => ({ username, result: 'refused', reason: 'directory_unknown_person' }),
    );
  const caller = { ...systemCaller('LDAP', actor.remoteAddress), requestedBy: actor };
  const imported = await importPeople(people, { source: 'ldap', db, writer: accounts(), caller });
  return importAnswer([...imported, ...unknown], context);
}

const COUNTS = {
  en: '{created} created, {updated} updated, {refused} rejected.',
  zh: '新建 {created} 个，更新 {updated} 个，拒绝 {refused} 个。',
} as const;

function importAnswer(imported: readonly Imported[], { language }: Context): LdapImport {
  const count = (...results: Imported['result'][]) =>
    imported.filter(({ result }) => results.includes(result)).length;
  return {
    msg: say(COUNTS, language, {
      created: count('created'),
      updated: count('updated', 'unchanged'),
      refused: count('refused'),
    }),
    results: imported.map((one) => ({
      username: one.username,
      result: one.result,
      reason: one.result === 'refused' ? say(ERRORS[one.reason], language) : '',
    })),
  };
}

const USERS = pagedListOf(
  samples<LdapUser>({
    id: 'li.wei',
    username: 'li.wei',
    name: 'Li Wei',
    email: 'li.wei@example.com',
    existing: false,
  }),
);

/** Routes to list and import the people of the directory. */
export function mountLdapUsers(app: FastifyInstance, options: DirectoryOptions): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/settings/ldap/users/',
    access: SUPER,
    area: 'users',
    summary:
      'The people of the directory, from the cache unless cache_police=0; 409 while it is being read.',
    answer: USERS,
    otherAnswers: {
      409: samples(
        { code: 'directory_reading', detail: READING, msg: READING, error: READING, job: READER },
        { code: 'directory_reading', detail: READING, msg: READING, error: READING },
      ),
    },
    handler: (context) => listUsers(options, context),
  });
  route(app, {
    method: 'GET',
    url: '/api/v1/settings/ldap/cache/refresh/',
    access: SUPER,
    area: 'users',
    summary: 'Empty the cache and read the directory again.',
    answer: samples(
      { msg: 'Reading the directory.', job: READER },
      { msg: 'Reading the directory.' },
    ),
    handler: (context) => refresh(options, context),
  });
  route(app, {
    method: 'POST',
    url: '/api/v1/settings/ldap/users/import/',
    access: SUPER,
    area: 'users',
    summary:
      'Import people of the directory as accounts, all of them when none is named; each has a result.',
    body: CHOSEN,
    answer: samples<LdapImport>({
      msg: '1 created, 0 updated, 0 refused.',
      results: [{ username: 'li.wei', result: 'created', reason: '' }],
    }),
    handler: (context) => importUsers(options, context),
  });
}
