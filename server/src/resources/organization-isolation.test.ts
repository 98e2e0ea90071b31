import { RESOURCES } from '@sallyport/contract';
import { someOf } from '@sallyport/property-runs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json, Page } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import {
  addressOf,
  boundPaths,
  buildTwoOrganizations,
  type TwoOrganizations,
} from '../testing/two-organizations.ts';

let test: TestProgram;
let world: TwoOrganizations;
/** An administrator of everything, in the other organization. */
let there: Client;
beforeAll(async () => {
  test = await startTestProgram();
  world = await buildTwoOrganizations(test);
  there = (await bearer(test)).inOrganization(world.there);
});
afterAll(() => test.stop());

/** Resources of the installation that an organization sees in part. */
const OF_MEMBERS = [
  'user',
  'login_log',
  'password_change_log',
  'job',
  'ticket',
  'ticket_comment',
  'agent',
  'agent_call',
];
const BOUND = RESOURCES.filter(({ name, scope }) => scope === 'org' || OF_MEMBERS.includes(name));

/** Ids of other kinds that a filter receives in `npm test`. */
const UNRELATED = 3;

/** Returns true if a filter like `node_id`, `user` or `plan_id` takes ids of a resource. */
function isAbout(filter: string, path: string): boolean {
  const { name } = RESOURCES.find((resource) => resource.path === path) ?? { name: path };
  const subject = filter.replace(/_?_(id|name)$/, '');
  return name.includes(subject) || subject.includes(name);
}

it('covers every resource that organizations see in part', () => {
  expect(BOUND.map(({ path }) => path).sort()).toEqual(boundPaths(test).sort());
});

describe.each(BOUND.map((resource) => [resource.path, resource] as const))(
  '%s of another organization',
  (path, resource) => {
    const idThere = () => world.foreign[path] ?? '';
    const address = () => addressOf(path, world.own);

    /** Returns the rows of a query, and whether they reveal the object. */
    const ask = async (query: string) => {
      const { status, text } = await world.insider.get(`${address()}/${query}`);
      // Page links repeat the query, so compare only the rows.
      const rows =
        status === 200 ? JSON.stringify(JSON.parse(text).results ?? JSON.parse(text)) : text;
      return {
        status,
        rows,
        knows: status === 200 && (rows.includes(world.mark) || rows.includes(idThere())),
      };
    };

    it('returns 404, and changes nothing', async () => {
      const { insider, fingerprint } = world;
      const before = await fingerprint();
      expect((await insider.get(`${address()}/${idThere()}/`)).status).toBe(404);
      expect((await insider.options(`${address()}/${idThere()}/`)).status).toBe(404);
      for (const [method, body] of [
        ['PUT', {}],
        ['PATCH', { comment: 'taken over' }],
        ['DELETE'],
      ] as const) {
        const answer = await insider.request(method, `${address()}/${idThere()}/`, body);
        // The answer must equal that for an unknown id.
        const invented = await insider.request(
          method,
          `${address()}/${crypto.randomUUID()}/`,
          body,
        );
        expect([method, answer.status, answer.text]).toEqual([
          method,
          invented.status,
          invented.text,
        ]);
        expect([400, 404, 405]).toContain(answer.status);
      }
      expect(await fingerprint()).toBe(before);
    });

    it('appears in no list, page, count, search, set or file', async () => {
      const { insider, mark } = world;
      const id = idThere();
      const { spm } = (
        await insider.post<{ spm: string }>('common/resources/cache/', { resources: [id] })
      ).body;
      const queries = [
        '',
        '?limit=100',
        `?search=${mark}`,
        `?search=${mark.toUpperCase()}`,
        `?limit=5&search=${mark}`,
        '?fields_size=mini',
        '?order=id',
      ];
      for (const query of queries.filter((one) => one !== '?order=id'))
        expect([query, await ask(query)]).toEqual([
          query,
          expect.objectContaining({ status: 200, knows: false }),
        ]);
      for (const query of [`?ids=${id}`, `?id=${id}`, `?id__in=${id}`, `?spm=${spm}`]) {
        expect([query, (await ask(query)).rows]).toEqual([query, '[]']);
        expect([
          query,
          (await insider.get<Page>(`${address()}/${query}&limit=1`)).body.count,
        ]).toEqual([query, 0]);
        const lines = (await insider.get(`${address()}/${query}&format=csv`)).text
          .trim()
          .split('\r\n');
        expect([query, lines.length]).toEqual([query, 1]);
      }
      expect((await insider.get(`${address()}/?format=csv`)).text).not.toContain(mark);
      const all = (await insider.get<Json[]>(`${address()}/`)).body.length;
      expect((await insider.get<Page>(`${address()}/?limit=1`)).body.count).toBe(all);
      expect(all).toBeGreaterThan(0);
    });

    it('matches no filter by its own values', async () => {
      const row = (await there.get(`${addressOf(path, world.foreign)}/${idThere()}/`)).body;
      const filters = Object.entries(resource.fields).filter(([, field]) => field.filter);
      for (const [name] of filters) {
        const value = encodeURIComponent(String(row[name] ?? ''));
        if (value === '') continue;
        for (const query of [
          `?${name}=${value}`,
          `?${name}__in=${value}`,
          `?limit=1&${name}=${value}`,
        ])
          expect([query, await ask(query)]).toEqual([
            query,
            expect.objectContaining({ status: 200, knows: false }),
          ]);
      }
      expect(filters.length).toBeGreaterThan(0);
    });

    it('matches no filter by related objects', async () => {
      const names = Object.keys(test.program.engines.get(resource.name)?.hooks.filters ?? {});
      const paths = Object.keys(world.foreign);
      for (const [turn, name] of names.entries()) {
        const related = paths.filter((one) => isAbout(name, one));
        const others = paths.filter((one) => !related.includes(one));
        // Answers for an unknown id and for an unknown word.
        const [ofId, ofWord] = [
          await ask(`?${name}=${crypto.randomUUID()}`),
          await ask(`?${name}=nothing-of-the-kind`),
        ];
        for (const value of [
          ...[...related, ...someOf(others, UNRELATED, turn)].map(
            (one) => world.foreign[one] ?? '',
          ),
          world.mark,
          `${world.mark}-asset`,
          `${world.mark}-account`,
        ]) {
          const query = `?${name}=${value}`;
          const [real, invented] = [await ask(query), value.length === 36 ? ofId : ofWord];
          expect([query, real.knows, real.status]).toEqual([query, false, invented.status]);
          if (real.status === 200) expect([query, real.rows]).toEqual([query, invented.rows]);
        }
      }
    });

    it('rejects changes by batches and files like those of an unknown id', async () => {
      const { insider, fingerprint } = world;
      const before = await fingerprint();
      const mine = (await insider.get(`${address()}/${world.own[path]}/`)).body;
      const asks = (id: string) => [
        insider.patch(`${address()}/`, [{ id, comment: 'x' }]),
        insider.put(`${address()}/`, [{ ...mine, id }]),
        insider.send('PUT', `${address()}/`, `id,name\r\n${id},x\r\n`, 'text/csv'),
        insider.delete(`${address()}/${id},${mine.id}/`),
        insider.delete(`${address()}/?ids=${id}`),
      ];
      const [real, invented] = [idThere(), crypto.randomUUID()];
      const answers = await Promise.all(
        [real, invented].map(async (id) =>
          (await Promise.all(asks(id))).map(({ status, text }) => [
            status,
            text.replaceAll(id, 'it'),
          ]),
        ),
      );
      expect(answers[0]).toEqual(answers[1]);
      expect(await fingerprint()).toBe(before);
      expect((await insider.get(`${address()}/${world.own[path]}/`)).body).toEqual(mine);
    });

    it('allows the same names in both organizations', async () => {
      if (resource.access.create === undefined || resource.scope !== 'org') return;
      const [theirs, mine] = [
        (await there.get(`${addressOf(path, world.foreign)}/${idThere()}/`)).body,
        (await world.insider.get(`${address()}/${world.own[path]}/`)).body,
      ];
      const texts = Object.entries(resource.fields).filter(
        ([, field]) => field.kind === 'text' && field.mode === 'readwrite',
      );
      const sameTexts = Object.fromEntries(texts.map(([name]) => [name, theirs[name]]));
      const { id: _, ...body } = { ...mine, ...sameTexts };
      // Secrets are never returned, so enter them again.
      const secrets = Object.fromEntries(
        ['password', 'access_key_secret']
          .filter((name) => name in resource.fields)
          .map((name) => [name, 'Secret of 1 test']),
      );
      const fresh = await world.insider.post<Json[]>(`${address()}/?dry_run=1`, [
        { ...body, ...secrets },
      ]);
      expect([path, fresh.status, fresh.text.slice(0, 300)]).toEqual([
        path,
        201,
        expect.stringContaining(world.mark),
      ]);
    });
  },
);
