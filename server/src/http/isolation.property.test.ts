import { ADMIN_PAGE_BITS, Permission, RELATIONS, RESOURCES, targetOf } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../testing/client.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import {
  addressOf,
  buildTwoOrganizations,
  type Objects,
  type TwoOrganizations,
} from '../testing/two-organizations.ts';

/** A text of the other organization, and an invented one of the same shape. */
interface Counterpart {
  readonly real: string;
  readonly invented: string;
}

/**
 * One request in both forms. A caller without access to the other organization must get the same
 * answer.
 */
interface Ask {
  readonly method: string;
  readonly path: (pick: keyof Counterpart) => string;
  readonly body?: ((pick: keyof Counterpart) => unknown) | undefined;
  /** The body as a file. */
  readonly file?: ((pick: keyof Counterpart) => string) | undefined;
  readonly counterparts: readonly Counterpart[];
}

let test: TestProgram;
let world: TwoOrganizations;
let counterparts: Counterpart[];
let mark: Counterpart;
let own: Objects;
/** Objects of the caller's organization. */
let rows: Record<string, object>;
/** Kinds whose object in the organization the caller may read: not another user's agent. */
let readable: Set<string>;

beforeAll(async () => {
  test = await startTestProgram();
  world = await buildTwoOrganizations(test);
  mark = { real: world.mark, invented: `${world.mark.slice(0, -10)}0123456789` };
  counterparts = [
    ...Object.values(world.foreign).map((real) => ({ real, invented: crypto.randomUUID() })),
    { real: world.there, invented: crypto.randomUUID() },
    mark,
    { real: mark.real.toUpperCase(), invented: mark.invented.toUpperCase() },
    { real: `${mark.real}-asset`, invented: `${mark.invented}-asset` },
    { real: `${mark.real}@example.com`, invented: `${mark.invented}@example.com` },
  ];
  own = world.own;
  const answers = await Promise.all(
    Object.entries(own).map(
      async ([path, id]) =>
        [path, await world.insider.get<object>(`${addressOf(path, own)}/${id}/`)] as const,
    ),
  );
  rows = Object.fromEntries(answers.map(([path, { body }]) => [path, body]));
  readable = new Set(answers.filter(([, { status }]) => status === 200).map(([path]) => path));
  expect(Object.keys(own).filter((path) => !readable.has(path))).toEqual([
    'agents/agents',
    'agents/calls',
  ]);
});
afterAll(() => test.stop());

/** Replaces real texts by invented ones, to compare two answers. */
function sameAfter(text: string, used: readonly Counterpart[]): string {
  const byLength = [...used, ...counterparts].toSorted((a, b) => b.real.length - a.real.length);
  // An error quotes only the beginning of a long value.
  const cut = byLength.filter(({ real }) => real.length > SHOWN);
  const whole = cut.reduce(
    (result, { real, invented }) =>
      result.replaceAll(`${real.slice(0, SHOWN)}\\"`, `${invented.slice(0, SHOWN)}\\"`),
    text,
  );
  return byLength.reduce((result, { real, invented }) => result.replaceAll(real, invented), whole);
}

const SHOWN = 64;
const fileCell = (value: unknown): string => [value].flat().join(',');
const join = (list: readonly Counterpart[], pick: keyof Counterpart): string =>
  list.map((one) => one[pick]).join();

/** Returns the forms in which an answer may repeat its input: plain and URL-encoded. */
function echoesOf(list: readonly Counterpart[]): Counterpart[] {
  const whole = { real: join(list, 'real'), invented: join(list, 'invented') };
  return [...list, whole]
    .flatMap((counterpart) => [
      counterpart,
      {
        real: encodeURIComponent(counterpart.real),
        invented: encodeURIComponent(counterpart.invented),
      },
    ])
    .filter(({ real }) => real !== '');
}

/** Removes the current time and job ids, which differ in every answer. */
const withoutMoments = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?/g, 'moment')
    .replace(/"task":"[0-9a-f-]{36}"/g, '"task":"job"');

async function compare({ method, path, body, file, counterparts: used }: Ask): Promise<void> {
  const ask = (pick: keyof Counterpart): Promise<Answer<unknown>> =>
    file
      ? world.insider.send(method, path(pick), file(pick), 'text/csv')
      : world.insider.request(method, path(pick), body?.(pick));
  const [real, invented] = [await ask('real'), await ask('invented')];
  const what = `${method} ${path('real')} ${file?.('real') ?? JSON.stringify(body?.('real')) ?? ''}`;
  expect([what, real.status, withoutMoments(sameAfter(real.text, used))]).toEqual([
    what,
    invented.status,
    withoutMoments(invented.text),
  ]);
  expect(real.status, what).toBeLessThan(500);
  // Both answers may leak the same text: the invented request never names anything real.
  const known = counterparts.find(({ real: secret }) => invented.text.includes(secret));
  expect([what, known]).toEqual([what, undefined]);
}

const KIND_OF: Readonly<Record<string, string>> = {
  user: 'users/users',
  group: 'users/groups',
  node: 'assets/nodes',
  asset: 'assets/assets',
};

function arbitraries() {
  const { routes } = test.program.app;
  const administered = routes.filter(
    ({ access, url, socket }) =>
      typeof access === 'number' &&
      (access & ADMIN_PAGE_BITS) !== 0 &&
      (access & Permission.SUPER) === 0 &&
      !socket &&
      url.startsWith('/api/v1/'),
  );
  // Skip the GET that runs a task for existing clients: a second run is rejected while the first
  // lasts.
  const readings = administered.filter(
    ({ method, url }) => (method === 'GET' && !url.endsWith('/run/')) || method === 'OPTIONS',
  );
  const fields = [...RESOURCES, ...RELATIONS.map(({ pair }) => pair)].flatMap((resource) =>
    Object.keys(resource.fields),
  );
  const filters = [...test.program.engines.values()].flatMap(({ hooks }) =>
    Object.keys(hooks.filters ?? {}),
  );
  const grammar = [
    'search',
    'ids',
    'id',
    'spm',
    'oid',
    'key',
    'node',
    'asset',
    'user',
    'all',
    'user_id',
    'asset_id',
    'system_user_id',
    'resource_id',
    'date_from',
    'fields',
    'fields!',
    'fields_size',
    'order',
    'format',
    'template',
    'tz',
  ];
  const names = [
    ...new Set([...fields, ...filters, ...fields.map((name) => `${name}__in`), ...grammar]),
  ];

  const same = (text: string): Counterpart => ({ real: text, invented: text });
  const secret = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...counterparts) },
    // Search finds names by their beginning.
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 12, max: mark.real.length })
        .map((end) => ({ real: mark.real.slice(0, end), invented: mark.invented.slice(0, end) })),
    },
  );
  const ordinary = fc
    .constantFrom(
      ...Object.values(own),
      'own',
      '1',
      '0',
      'true',
      '',
      '2020-01-01 00:00:00 +0000',
      '-name',
    )
    .map(same);
  const value = fc.oneof({ weight: 3, arbitrary: secret }, { weight: 1, arbitrary: ordinary });
  const values = fc.array(value, { minLength: 1, maxLength: 3 });
  const parameters = fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 4 });
  const shape = fc.constantFrom(
    '',
    'limit=5',
    'limit=1&offset=1',
    'format=csv',
    'order=-id',
    'draw=1&display=1',
  );

  // Without an own object of the kind, both forms use the same id: pages name their path.
  const unknownId = crypto.randomUUID();
  const address = (url: string, ids: readonly Counterpart[]) => (pick: keyof Counterpart) => {
    const kind =
      Object.keys(world.foreign).find((path) => url.startsWith(`/api/v1/${path}/:`)) ?? '';
    let index = 0;
    return url.replace(/:(\w+)/g, (_, name: string) => {
      const wantedKind = KIND_OF[name] ?? kind;
      const chosen = ids[index++ % ids.length];
      // Half of the ids are objects of the right kind, own or foreign.
      return chosen?.real === 'own' ? (own[wantedKind] ?? unknownId) : (chosen?.[pick] ?? '');
    });
  };
  const idFor = fc.array(
    fc.oneof(
      fc.constantFrom(...counterparts.filter(({ real }) => real.length === 36)),
      fc.constant(same('own')),
    ),
    {
      minLength: 2,
      maxLength: 2,
    },
  );

  const reading = fc
    .tuple(fc.constantFrom(...readings), idFor, parameters, shape)
    .map(([route, ids, chosen, more]): Ask => {
      const place = address(route.url, ids);
      return {
        method: route.method,
        counterparts: chosen.flatMap(([, list]) => echoesOf(list)),
        path: (pick) => {
          const query = chosen.map(
            ([name, list]) => `${encodeURIComponent(name)}=${encodeURIComponent(join(list, pick))}`,
          );
          return `${place(pick)}?${[...query, more].filter(Boolean).join('&')}`;
        },
      };
    });
  return { reading, secret, administered };
}

it('reveals nothing about another organization in any read', {
  timeout: limitOf(120_000),
}, async () => {
  const { reading } = arbitraries();
  await fc.assert(fc.asyncProperty(reading, compare), runs(300));
});

it('answers a set of foreign ids like a set of unknown ids', {
  timeout: limitOf(120_000),
}, async () => {
  const ids = fc.subarray(
    counterparts.filter(({ real }) => real.length === 36),
    { minLength: 1 },
  );
  const paths = fc.constantFrom(...Object.keys(world.foreign));
  await fc.assert(
    fc.asyncProperty(ids, paths, fc.boolean(), async (chosen, path, withOwn) => {
      const mine = own[path];
      const address = addressOf(path, own);
      const setOf = async (pick: keyof Counterpart) =>
        (
          await world.insider.post<{ spm: string }>('common/resources/cache/', {
            resources: [
              ...chosen.map((counterpart) => counterpart[pick]),
              ...(withOwn && mine ? [mine] : []),
            ],
          })
        ).body.spm;
      const spm = { real: await setOf('real'), invented: await setOf('invented') };
      const list = {
        method: 'GET',
        counterparts: [spm],
        path: (pick: keyof Counterpart) => `${address}/?limit=10&spm=${spm[pick]}`,
      };
      await compare(list);
      await compare({ ...list, path: (pick) => `${address}/?format=csv&spm=${spm[pick]}` });
      expect((await world.insider.get<unknown[]>(`${address}/?spm=${spm.real}`)).body).toHaveLength(
        withOwn && mine && readable.has(path) ? 1 : 0,
      );
    }),
    runs(20),
  );
});

it('answers a write with a foreign id like one with an unknown id, and changes nothing', {
  timeout: limitOf(120_000),
}, async () => {
  const linked = RESOURCES.filter(
    ({ scope, access }) => scope === 'org' && access.create !== undefined,
  ).flatMap((resource) =>
    Object.entries(resource.fields)
      .filter(
        ([, field]) =>
          (field.kind === 'many' || field.kind === 'reference') && field.mode !== 'readonly',
      )
      .map(([name, field]) => ({ resource, name, isMany: field.kind === 'many' })),
  );
  const ids = counterparts.filter(({ real }) => real.length === 36);
  const body = fc.record({
    link: fc.constantFrom(...linked),
    id: fc.constantFrom(...ids),
    withOwn: fc.boolean(),
  });
  const pairs = fc.record({
    relation: fc.constantFrom(...RELATIONS),
    owner: fc.constantFrom(...ids),
    other: fc.constantFrom(...ids),
    ownSide: fc.constantFrom('owner', 'other', 'none'),
  });
  const before = await world.fingerprint();
  await fc.assert(
    fc.asyncProperty(
      body,
      pairs,
      fc.constantFrom('POST', 'PUT', 'PATCH', 'MANY', 'BATCH', 'DELETE', 'NEW FILE', 'FILE'),
      async ({ link, id, withOwn }, pair, way) => {
        const { resource, name, isMany } = link;
        const mine =
          own[RESOURCES.find((one) => one.name === targetOf(resource.fields[name]))?.path ?? ''];
        const object = (pick: keyof Counterpart) => ({
          [name]: isMany ? [...(withOwn && mine ? [mine] : []), id[pick]] : id[pick],
        });
        const target = own[resource.path] ?? crypto.randomUUID();
        const ask = {
          POST: { method: 'POST', path: () => `${resource.path}/`, body: object },
          PUT: {
            method: 'PUT',
            path: () => `${resource.path}/${target}/`,
            body: (pick: keyof Counterpart) => ({ ...rows[resource.path], ...object(pick) }),
          },
          PATCH: { method: 'PATCH', path: () => `${resource.path}/${target}/`, body: object },
          MANY: {
            method: 'POST',
            path: () => `${resource.path}/`,
            body: (pick: keyof Counterpart) => [
              object(pick),
              { ...rows[resource.path], id: undefined, ...object(pick) },
            ],
          },
          BATCH: {
            method: 'PATCH',
            path: () => `${resource.path}/`,
            body: (pick: keyof Counterpart) => [
              { id: target, ...object(pick) },
              { id: id[pick], comment: 'x' },
            ],
          },
          DELETE: {
            method: 'DELETE',
            path: (pick: keyof Counterpart) => `${resource.path}/?ids=${id[pick]}`,
          },
          'NEW FILE': {
            method: 'POST',
            path: () => `${resource.path}/`,
            file: (pick: keyof Counterpart) => `${name}\r\n"${fileCell(object(pick)[name])}"\r\n`,
          },
          FILE: {
            method: 'PUT',
            path: () => `${resource.path}/`,
            file: (pick: keyof Counterpart) =>
              `id,${name}\r\n${target},"${fileCell(object(pick)[name])}"\r\n${id[pick]},\r\n`,
          },
        }[way];
        await compare({ ...ask, counterparts: [] });
        const { relation, owner, other, ownSide } = pair;
        const end = (side: 'owner' | 'other', pick: keyof Counterpart) =>
          ownSide === side
            ? (own[relation[side].resource.path] ?? '')
            : (side === 'owner' ? owner : other)[pick];
        const both = (pick: keyof Counterpart) => ({
          [relation.owner.key]: end('owner', pick),
          [relation.other.key]: end('other', pick),
        });
        await compare({
          method: 'POST',
          path: () => `${relation.path}/`,
          body: both,
          counterparts: [],
        });
        await compare({
          method: 'DELETE',
          path: (pick) => `${relation.path}/?${new URLSearchParams(both(pick))}`,
          counterparts: [],
        });
        await compare({
          method: 'DELETE',
          path: (pick) => `${resource.path}/${id[pick]},${target}/`,
          counterparts: [],
        });
      },
    ),
    runs(100),
  );
  expect(await world.fingerprint()).toBe(before);
});
