import { RESOURCES } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { likePattern } from './search.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const PAIRS = [
  ['env', 'prod'],
  ['env', 'test'],
  ['机房', '北京二区'],
  ['机房', '上海'],
  ['load', '100%'],
  ['load', '100 per cent'],
  ['snake', 'a_b'],
  ['snake', 'axb'],
  ['path', 'C:\\temp'],
];
beforeEach(async () => {
  await sql`truncate label cascade`.execute(test.db);
  for (const [name, value] of PAIRS)
    await sql`insert into label (name, value) values (${name}, ${value})`.execute(test.db);
});

const values = (rows: readonly Json[]) => rows.map((row) => row.value);
const list = async (query: string) =>
  values((await admin.get<Json[]>(`assets/labels/${query}`)).body);

describe('paging', () => {
  it('returns an array without a limit and a page with one', async () => {
    expect((await admin.get<Json[]>('assets/labels/')).body).toHaveLength(PAIRS.length);
    const { body } = await admin.get<Page>('assets/labels/?limit=4');
    expect([body.count, body.results.length, body.previous]).toEqual([PAIRS.length, 4, null]);
  });

  it('returns content and total to generic tables, which send page, size, field and direction', async () => {
    interface Content {
      readonly content: Json[];
      readonly totalElements: number;
    }
    const paged = async (query: string) =>
      (await admin.get<Content>(`assets/labels/${query}`)).body;
    const all = await list('?order=-value');
    const { content, totalElements, ...rest } = await paged(
      '?page=1&size=4&sort=value&direction=desc&search=',
    );
    expect([values(content), totalElements, rest]).toEqual([all.slice(4, 8), PAIRS.length, {}]);
    expect(values((await paged('?size=999&sort=value&direction=asc')).content)).toEqual(
      all.toReversed(),
    );
    expect((await paged('?page=0')).content).toHaveLength(Math.min(10, PAIRS.length));
    expect(await paged('?page=99&size=4')).toEqual({ content: [], totalElements: PAIRS.length });
    expect(await paged(`?page=${Number.MAX_SAFE_INTEGER}&size=4`)).toEqual({
      content: [],
      totalElements: PAIRS.length,
    });
    await sql`insert into label (name, value) select 'many', 'm' || n from generate_series(1, 10000) n`.execute(
      test.db,
    );
    const [first, second] = [
      await paged('?page=0&size=20000&sort=value&direction=asc'),
      await paged('?page=1&size=20000&sort=value&direction=asc'),
    ];
    expect([first.content.length, second.content.length]).toEqual([10_000, PAIRS.length]);
    await sql`delete from label where name = 'many'`.execute(test.db);
    expect(await paged('?page=0&size=4&search=snake&sort=value')).toMatchObject({
      content: [{ value: 'a_b' }, { value: 'axb' }],
      totalElements: 2,
    });
    expect((await admin.get('assets/labels/?page=0&sort=nothing')).status).toBe(400);
    expect(
      (await admin.get<Page>('assets/labels/?page=1&size=4&limit=3')).body.results,
    ).toHaveLength(3);
  });

  it('links each page to the next and previous one, with each row once', async () => {
    const seen: unknown[] = [];
    let path: string | null = '/api/v1/assets/labels/?limit=4&order=-value';
    let last: Page | undefined;
    while (path) {
      const { body }: { body: Page } = await admin.get<Page>(path);
      seen.push(...values(body.results));
      last = body;
      path = body.next && new URL(body.next).pathname + new URL(body.next).search;
      if (body.next) expect(new URL(body.next).origin).toBe(new URL(test.program.url).origin);
    }
    expect([...seen].sort()).toEqual(PAIRS.map(([, value]) => value).sort());
    expect(seen).toEqual(await list('?order=-value'));
    const back = (
      await admin.get<Page>(
        new URL(last?.previous ?? '').pathname + new URL(last?.previous ?? '').search,
      )
    ).body;
    expect(values(back.results)).toEqual(seen.slice(4, 8));
    expect(back.previous && new URL(back.previous).searchParams.has('offset')).toBe(false);
  });

  it.each(['0', '-1', 'many', '1.5', '1e400', '99999999999999999999'])(
    'treats limit=%s as absent',
    async (limit) => {
      expect((await admin.get(`assets/labels/?limit=${limit}`)).body).toHaveLength(PAIRS.length);
    },
  );

  it.each(['-1', 'x', '1.5'])('treats offset=%s as absent', async (offset) => {
    expect(
      (await admin.get<Page>(`assets/labels/?limit=3&offset=${offset}`)).body.results,
    ).toHaveLength(3);
  });

  it('returns the count beyond the last page', async () => {
    const { body } = await admin.get<Page>('assets/labels/?limit=3&offset=1000');
    expect([body.count, body.results, body.next]).toEqual([PAIRS.length, [], null]);
  });
});

it('returns a long list without a limit completely and in order, with the fields of a list', async () => {
  await sql`insert into label (name, value) select 'long', lpad(i::text, 6, '0') from generate_series(1, 25000) i`.execute(
    test.db,
  );
  const whole = await admin.get<Json[]>('assets/labels/?name=long&order=value');
  expect([whole.status, whole.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  expect(values(whole.body)).toEqual(
    Array.from({ length: 25_000 }, (_, i) => String(i + 1).padStart(6, '0')),
  );
  const page = (await admin.get<Page>('assets/labels/?name=long&order=value&limit=10000')).body;
  expect([page.count, whole.body.slice(0, 10_000)]).toEqual([25_000, page.results]);
  expect((await admin.get('assets/labels/?name=long&order=nothing')).status).toBe(400);
  expect(
    Object.keys(
      (await admin.get<Json[]>('assets/labels/?name=long&fields=value')).body.at(-1) ?? {},
    ),
  ).toEqual(['value']);
  expect(
    (await admin.get('assets/labels/?name=long&format=csv&limit=20000')).text.trim().split('\r\n'),
  ).toHaveLength(20_001);
});

describe('search', () => {
  it.each([
    ['env', ['prod', 'test']],
    ['ENV PROD', ['prod']],
    ['机房', ['上海', '北京二区']],
    ['北京', ['北京二区']],
    ['京', ['北京二区']],
    ['机房 上海', ['上海']],
    ['100%', ['100%']],
    ['%', ['100%']],
    ['a_b', ['a_b']],
    ['_', ['a_b']],
    ['C:\\temp', ['C:\\temp']],
    ['\\', ['C:\\temp']],
    ["'; drop table label; --", []],
    ['nothing like it', []],
  ])('finds exactly the rows that contain %s', async (term, found) => {
    expect((await list(`?search=${encodeURIComponent(term)}&order=value`)).sort()).toEqual(
      [...found].sort(),
    );
  });
});

describe('the index of searches', () => {
  it.each(
    RESOURCES.filter(
      ({ fields, scope }) => scope !== 'own' && Object.values(fields).some(({ search }) => search),
    ).map(({ name, table }) => [name, table]),
  )('covers %s', async (_name, table) => {
    const { rows } = await sql<{ found: number }>`
        select count(*) as found from pg_indexes
        where tablename = ${table} and indexdef like '%gin (search_text gin_trgm_ops)%'`.execute(
      test.db,
    );
    expect(rows[0]?.found).toBe(1);
  });

  it('covers Chinese texts', async () => {
    await sql`insert into label (name, value) select 'row ' || i, case when i % 100 = 0 then '生产数据库' else '测试服务器' end || i from generate_series(1, 20000) i`.execute(
      test.db,
    );
    await sql`vacuum analyze label`.execute(test.db);
    const { rows } = await sql<{
      'QUERY PLAN': unknown;
    }>`explain (format json) select 1 from label t where t.search_text like ${likePattern('生产数据库')}`.execute(
      test.db,
    );
    expect(JSON.stringify(rows)).toContain('label_search');
    expect(await list(`?search=${encodeURIComponent('生产数据库100')}`)).toEqual([
      '生产数据库100',
      '生产数据库1000',
      '生产数据库10000',
    ]);
  });
});

describe('order', () => {
  it('follows the named fields in both directions', async () => {
    const ascending = await list('?order=value');
    expect(await list('?order=-value')).toEqual([...ascending].reverse());
    expect(await list('?order=name,-value')).toEqual([
      'test',
      'prod',
      '100%',
      '100 per cent',
      'C:\\temp',
      'axb',
      'a_b',
      '北京二区',
      '上海',
    ]);
  });

  it.each([
    'comment',
    'password',
    'org_id',
    'nothing',
    'id;drop table label',
    '-',
    'constructor',
    '__proto__',
    'search_text',
  ])('refuses %s, which is not for ordering', async (order) => {
    const { status, body } = await admin.get(`assets/labels/?order=${encodeURIComponent(order)}`);
    expect([status, Object.keys(body)]).toEqual([400, ['order']]);
  });
});

describe('filters', () => {
  it('limits the list by a declared field', async () =>
    expect((await list('?name=env')).sort()).toEqual(['prod', 'test']));
  it('combines filters', async () => expect(await list('?name=env&value=test')).toEqual(['test']));
  it('compares exactly', async () => expect(await list('?name=en')).toEqual([]));

  it.each([
    'comment',
    'nothing',
    'constructor',
    'toString',
    'hasOwnProperty',
    '__proto__',
    'valueOf',
  ])('ignores the unknown filter %s', async (name) => {
    expect(await list(`?${name}=x`)).toHaveLength(PAIRS.length);
    // Assets, unlike labels, have hook filters.
    expect((await admin.get(`assets/assets/?${name}=x`)).status).toBe(200);
  });

  it('selects by ids, and rejects malformed ones', async () => {
    const { body: rows } = await admin.get<Json[]>('assets/labels/?name=env');
    const ids = rows.map((row) => row.id);
    expect((await list(`?ids=${ids.join(',')}`)).sort()).toEqual(['prod', 'test']);
    expect((await admin.get(`assets/labels/?ids=${ids[0]},nonsense`)).status).toBe(400);
  });
});

describe('a set of values', () => {
  it('finds rows with any of the values, comma-separated or repeated', async () => {
    expect((await list('?value__in=prod,上海&order=value')).sort()).toEqual(['prod', '上海']);
    expect((await list('?value__in=prod&value__in=test,')).sort()).toEqual(['prod', 'test']);
    expect(await list('?name__in=env,load&value__in=prod,nothing')).toEqual(['prod']);
    expect(await list('?value__in=nothing')).toEqual([]);
    expect(await list('?value__in=,')).toHaveLength(PAIRS.length);
  });

  it('has the type of its field', async () => {
    const [first, second] = (await admin.get<Json[]>('assets/labels/?order=value')).body;
    expect(await list(`?id__in=${first?.id},${second?.id}&order=value`)).toEqual([
      first?.value,
      second?.value,
    ]);
    expect(
      (await admin.get<Json[]>('users/users/?is_active__in=true,0')).body.length,
    ).toBeGreaterThan(0);
    expect((await admin.get<Json[]>('users/users/?is_active__in=false')).body).toHaveLength(0);
    expect(
      (await admin.get<Json[]>('users/users/?source__in=local,ldap')).body.length,
    ).toBeGreaterThan(0);
    expect((await admin.get('users/users/?source__in=local,nowhere')).body).toEqual({
      source__in: ['"nowhere" is not a valid choice.'],
    });
    expect((await admin.get('assets/labels/?id__in=1,2')).body).toEqual({
      id__in: ['"1" is not a valid UUID.'],
    });
    expect(
      (
        await admin.get<Json[]>(
          `audits/operate-logs/?resource_type__in=label,asset&action__in=create`,
        )
      ).status,
    ).toBe(200);
    expect((await admin.get('assets/labels/?value__in=a%2500')).status).toBe(200);
  });

  it('ignores fields that are no filter', async () => {
    expect(await list('?comment__in=x')).toHaveLength(PAIRS.length);
    expect(await list('?constructor__in=x&__in=x')).toHaveLength(PAIRS.length);
  });

  it('does not allow to empty a list', async () => {
    const all = (await admin.get<Json[]>('assets/labels/')).body;
    expect(
      (await admin.delete(`assets/labels/?id__in=${all.map((row) => row.id).join(',')}`)).status,
    ).toBe(400);
    expect((await admin.get<Json[]>('assets/labels/')).body).toHaveLength(PAIRS.length);
  });
});
