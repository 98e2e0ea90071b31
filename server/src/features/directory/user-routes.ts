import { ERRORS, type LdapImport, type LdapUser, list, type Page, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Context } from '../../http/context.ts';
import { neighbours, type Paging, readPaging } from '../../http/page.ts';
import { invalid, Refusal } from '../../http/problem.ts';
import type { AuditWriter, Sql } from '../../http/resource/hooks.ts';
import { likePattern } from '../../http/resource/list-query.ts';
import { readBody, route } from '../../http/route.ts';
import { pagedListOf, samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import type { DirectoryPerson } from '../../platform/directory/config.ts';
import { SUPER } from '../settings/setting-routes.ts';
import { importPeople, type Taken } from './accounts.ts';
import type { Sync } from './sync.ts';

const MAX_CHOSEN = 10_000;
const READING = say(ERRORS.directory_reading, 'en', { count: 1_000 });
const CHOSEN = {
  username_list: { ...list({ label: { en: 'Usernames', zh: '用户名' }, max: 128, maxItems: MAX_CHOSEN }), required: false },
};
const EXISTING = sql`exists (select 1 from account a where lower(a.username) = lower(p.username))`;
const ORDERS: Readonly<Record<string, Sql>> = {
  username: sql`p.username`,
  name: sql`p.name`,
  email: sql`p.email`,
  existing: EXISTING,
  id: sql`p.username`,
};

interface Narrowed extends Paging {
  readonly where: Sql;
  readonly order: Sql;
}

function readQuery(query: URLSearchParams): Narrowed {
  const text = (name: string) => (query.getAll(name).at(-1) ?? '').trim().slice(0, 256);
  for (const name of ['search', 'order']) if (text(name).includes('\u0000')) throw invalid(name, 'nul_byte');
  const wished = text('order') || 'existing';
  const column = wished.replace(/^-/, '');
  const order = Object.hasOwn(ORDERS, column) ? ORDERS[column] : undefined;
  if (!order) throw invalid('order', 'not_choice', { value: wished.slice(0, 64) });
  return {
    where: text('search') ? sql`p.search_text like ${likePattern(text('search').toLowerCase())}` : sql`true`,
    order: wished.startsWith('-') ? sql`${order} desc, p.username desc, p.dn` : sql`${order}, p.username, p.dn`,
    ...readPaging(query),
  };
}

/** Whom the directory lists, and taking them over (identity reference §6.3). */
export function mountLdapUsers(app: FastifyInstance, { db, sync, audit }: { db: Db; sync: Sync; audit: AuditWriter }): void {
  /** Sees to it that there is something to read from. @throws Refusal 409 while it is being read, 400 when it could not be */
  const prepare = async ({ query }: Context, mayBegin: boolean): Promise<void> => {
    const policy = (query.getAll('cache_police').at(-1) ?? '1').toLowerCase();
    if (policy !== '1' && policy !== 'true') await (await sync.begin()).reading;
    const { state, people, reason } = await sync.look();
    if (state === 'done') return;
    if (state === 'failed') throw new Refusal(400, 'directory_failed', { step: 'LDAP', reason });
    if (state === 'none' && !mayBegin) throw new Refusal(400, 'directory_not_read');
    if (state === 'none') await sync.begin();
    throw new Refusal(409, 'directory_reading', { count: people });
  };

  route(app, {
    method: 'GET',
    url: '/api/v1/settings/ldap/users/',
    access: SUPER,
    summary: 'Whom the directory lists, out of the cache unless cache_police=0; 409 while it is being read.',
    answer: pagedListOf(samples<LdapUser>({ id: 'li.wei', username: 'li.wei', name: 'Li Wei', email: 'li.wei@example.com', existing: false })),
    otherAnswers: { 409: samples({ code: 'directory_reading', detail: READING, msg: READING }) },
    async handler(context): Promise<LdapUser[] | Page<LdapUser>> {
      const { where, order, limit, offset } = readQuery(context.query);
      await prepare(context, true);
      const paging = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
      const { rows } = await sql<LdapUser>`
        select p.username as id, p.username, p.name, p.email, ${EXISTING} as existing from ldap_person p where ${where} order by ${order} ${paging}`.execute(
        db,
      );
      if (limit === undefined) return rows;
      const counted = await sql<{ count: number }>`select count(*)::integer as count from ldap_person p where ${where}`.execute(db);
      const count = counted.rows[0]?.count ?? 0;
      return { count, ...neighbours(context, limit, offset, count), results: rows };
    },
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/settings/ldap/cache/refresh/',
    access: SUPER,
    summary: 'Forget what was read of the directory and read it again.',
    answer: samples({ msg: 'The directory is being read.' }),
    async handler({ language }) {
      await sync.forget();
      await sync.begin();
      return { msg: say({ en: 'The directory is being read.', zh: '正在读取用户目录。' }, language) };
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/settings/ldap/users/import/',
    access: SUPER,
    summary: 'Take people of the directory over as accounts, everybody when nobody is named; each has a result.',
    body: CHOSEN,
    answer: samples<LdapImport>({ msg: '1 created, 0 updated, 0 refused.', results: [{ username: 'li.wei', result: 'created', reason: '' }] }),
    async handler(context): Promise<LdapImport> {
      const { language } = context;
      const { username_list: chosen = [] } = readBody(context) as { username_list?: string[] };
      await prepare(context, false);
      const wanted = [...new Set(chosen)];
      const { rows } = await sql<{ fields: DirectoryPerson }>`
        select fields from ldap_person ${wanted.length > 0 ? sql`where username = any(${wanted})` : sql``} order by username, dn`.execute(db);
      const people = rows.map(({ fields }) => fields);
      const listed = new Set(people.map(({ username }) => username));
      const unknown = wanted
        .filter((name) => !listed.has(name))
        .map((username): Taken => ({ username, result: 'refused', reason: 'directory_unknown_person' }));
      const taken = await importPeople(people, { db, audit, author: context });
      const all = [...taken, ...unknown];
      const count = (...results: Taken['result'][]) => all.filter(({ result }) => results.includes(result)).length;
      return {
        msg: say(
          { en: '{created} created, {updated} updated, {refused} refused.', zh: '新建 {created} 个，更新 {updated} 个，拒绝 {refused} 个。' },
          language,
          {
            created: count('created'),
            updated: count('updated', 'unchanged'),
            refused: count('refused'),
          },
        ),
        results: all.map((one) => ({ username: one.username, result: one.result, reason: one.result === 'refused' ? say(ERRORS[one.reason], language) : '' })),
      };
    },
  });
}
