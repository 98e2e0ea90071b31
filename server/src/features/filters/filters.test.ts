import { COMMAND_LIBRARY } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildSystemUser, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const FILTERS = 'assets/cmd-filters/';
const buildFilter = async (more: Json = {}) =>
  (await admin.post<Json>(FILTERS, { name: unique('filter'), ...more })).body;
const rulesOf = (filter: Json) => `${FILTERS}${filter.id}/rules/`;
const buildRule = async (filter: Json, more: Json) =>
  (await admin.post<Json>(rulesOf(filter), more)).body;

describe('a command filter', () => {
  it('creates a filter with its system users, and shows the link at both', async () => {
    const account = await buildSystemUser(test.db);
    const filter = await buildFilter({ system_users: [account], comment: 'databases' });
    expect(filter).toMatchObject({
      is_active: true,
      system_users: [account],
      rules: [],
      rules_amount: 0,
      system_users_amount: 1,
      comment: 'databases',
    });
    expect((await admin.get(`assets/system-users/${account}/`)).body.cmd_filters).toEqual([
      filter.id,
    ]);
    await admin.patch(`assets/system-users/${account}/`, { cmd_filters: [] });
    expect((await admin.get(`${FILTERS}${filter.id}/`)).body.system_users).toEqual([]);
    await admin.patch(`${FILTERS}${filter.id}/`, { system_users: [account] });
    expect((await admin.get(`assets/system-users/${account}/`)).body.cmd_filters).toEqual([
      filter.id,
    ]);
    const entry = (
      await admin.get<Json[]>(
        `audits/operate-logs/?resource_type=command_filter&search=${filter.name}`,
      )
    ).body;
    expect(entry.map(({ action }) => action).toSorted()).toEqual(['create', 'update']);
  });

  it('rejects a duplicate name, and system users of another organization', async () => {
    const filter = await buildFilter();
    expect((await admin.post(FILTERS, { name: filter.name })).body).toHaveProperty('name');
    const elsewhere = await buildSystemUser(test.db, {
      organization: await buildOrganization(test.db),
    });
    const refused = await admin.patch(`${FILTERS}${filter.id}/`, { system_users: [elsewhere] });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['system_users']]);
  });

  it('describes the effects of its deletion', async () => {
    const filter = await buildFilter({ system_users: [await buildSystemUser(test.db)] });
    await buildRule(filter, { content: 'rm' });
    const { body } = await admin.post<{ consequences: Json[] }>('perms/consequences/', {
      action: 'delete',
      resource: 'command_filter',
      ids: [filter.id],
    });
    expect(body.consequences.map(({ kind, count }) => [kind, count])).toEqual([
      ['rules_deleted', 1],
      ['accounts_unfiltered', 1],
    ]);
    const disabled = await admin.post<{ consequences: Json[] }>('perms/consequences/', {
      action: 'disable',
      resource: 'command_filter',
      ids: [filter.id],
    });
    expect(disabled.body.consequences.map(({ kind }) => kind)).toEqual(['accounts_unfiltered']);
    expect((await admin.delete(`${FILTERS}${filter.id}/`)).status).toBe(204);
    expect(
      (await sql`select 1 from command_filter_rule where filter_id = ${filter.id}`.execute(test.db))
        .rows,
    ).toEqual([]);
  });
});

describe('a rule', () => {
  it('applies defaults and texts of the declaration, and belongs to the filter in the path', async () => {
    const filter = await buildFilter();
    const rule = await buildRule(filter, { content: 'rm\nreboot', filter: crypto.randomUUID() });
    expect(rule).toMatchObject({
      ...{
        type: 'command',
        type_display: 'Command',
        priority: 50,
        action: 0,
        action_display: 'Deny',
      },
      ...{ content: 'rm\nreboot', is_active: true, filter: filter.id, comment: '' },
    });
    expect((await admin.get(`${FILTERS}${filter.id}/`)).body).toMatchObject({
      rules: [rule.id],
      rules_amount: 1,
    });
  });

  it('lists rules by priority with deny first, and finds them by content', async () => {
    const filter = await buildFilter();
    await buildRule(filter, { content: 'last', priority: 1 });
    await buildRule(filter, { content: 'second', priority: 90, action: 1 });
    await buildRule(filter, { content: 'first', priority: 90, action: 0 });
    const contents = async (query: string) =>
      (await admin.get<Json[]>(`${rulesOf(filter)}${query}`)).body.map(({ content }) => content);
    expect(await contents('')).toEqual(['first', 'second', 'last']);
    expect(await contents('?search=SECO')).toEqual(['second']);
    expect((await admin.get<Page>(`${rulesOf(filter)}?action=0&limit=5`)).body.count).toBe(2);
  });

  it.each<[string, Json, string]>([
    ['a pattern that does not compile', { type: 'regex', content: '(rm' }, 'missing closing )'],
    [
      'a pattern that only a backtracking engine knows',
      { type: 'regex', content: '(a)\\1' },
      'RE2',
    ],
    [
      'a pattern that grows too large',
      {
        type: 'regex',
        content: '(\\pL{900})(\\pL{900})(\\pL{900})(\\pL{900})(\\pL{900})(\\pL{900})',
      },
      'too large',
    ],
    ['blank commands', { content: ' \n ' }, 'blank'],
  ])('rejects %s at its content, and keeps the stored content', async (_what, body, words) => {
    const filter = await buildFilter();
    const refused = await admin.post(rulesOf(filter), body);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['content']]);
    expect(JSON.stringify(refused.body)).toContain(words);
    const rule = await buildRule(filter, { content: 'rm' });
    expect((await admin.patch(`${rulesOf(filter)}${rule.id}/`, body)).status).toBe(400);
    expect((await admin.get(`${rulesOf(filter)}${rule.id}/`)).body.content).toBe('rm');
  });

  it('rejects a change to the type pattern with invalid content', async () => {
    const filter = await buildFilter();
    const rule = await buildRule(filter, { content: 'echo (' });
    expect(
      (await admin.patch(`${rulesOf(filter)}${rule.id}/`, { type: 'regex' })).body,
    ).toHaveProperty('content');
  });

  it('creates all rules of the library in one request', async () => {
    const filter = await buildFilter();
    const rules = COMMAND_LIBRARY.flatMap((group) => group.rules).map((rule) => ({
      type: 'regex',
      content: rule.content,
      action: rule.action,
      message: rule.sentence.zh,
      comment: rule.sentence.zh,
    }));
    const { status, body } = await admin.post<Json[]>(rulesOf(filter), rules);
    expect([status, body.length]).toEqual([201, rules.length]);
    const tried = await admin.post<Json>(`${FILTERS}${filter.id}/try/`, { command: 'rm -rf /' });
    expect(tried.body).toMatchObject({ is_allowed: false, rule: { action: 0 } });
  });

  it.each([0, 101])('rejects priority %d', async (priority) => {
    expect(
      (await admin.post(rulesOf(await buildFilter()), { content: 'rm', priority })).body,
    ).toHaveProperty('priority');
  });
});

describe('trying a command out', () => {
  it('returns the active rule that matches a command, even if the filter is inactive', async () => {
    const filter = await buildFilter({ is_active: false });
    const tried = (command: string) => admin.post(`${FILTERS}${filter.id}/try/`, { command });
    expect((await tried('rm -rf /')).body).toEqual({ is_allowed: true, rule: null });
    const rule = await buildRule(filter, { content: 'rm', priority: 60 });
    await buildRule(filter, { content: 'rm', priority: 90, action: 1, is_active: false });
    const caught = {
      id: rule.id,
      type: 'command',
      content: 'rm',
      priority: 60,
      action: 0,
      found: 'rm',
    };
    expect((await tried('sudo rm -rf /')).body).toEqual({ is_allowed: false, rule: caught });
    await admin.patch(`${rulesOf(filter)}${rule.id}/`, { action: 1 });
    expect((await tried('rm')).body).toMatchObject({
      is_allowed: true,
      rule: { id: rule.id, action: 1 },
    });
    expect([(await tried('')).status, (await tried('x'.repeat(4097))).status]).toEqual([400, 400]);
  });

  it('allows administrators of the organization only', async () => {
    const filter = await buildFilter();
    const user = await bearer(test, await buildUser(test.db));
    expect((await user.post(`${FILTERS}${filter.id}/try/`, { command: 'x' })).status).toBe(403);
    const elsewhere = admin.inOrganization(await buildOrganization(test.db));
    expect((await elsewhere.post(`${FILTERS}${filter.id}/try/`, { command: 'x' })).status).toBe(
      404,
    );
  });
});

it('returns the rules of all filters of a system user in evaluation order', async () => {
  const account = await buildSystemUser(test.db);
  const [one, other] = [
    await buildFilter({ system_users: [account] }),
    await buildFilter({ system_users: [account] }),
  ];
  await buildRule(one, { content: 'third', priority: 10 });
  await buildRule(other, { content: 'second', priority: 70, action: 1 });
  await buildRule(one, { content: 'first', priority: 70 });
  const { body } = await admin.get<Json[]>(`assets/system-users/${account}/cmd-filter-rules/`);
  expect(body.map(({ content, filter }) => [content, filter])).toEqual([
    ['first', one.id],
    ['second', other.id],
    ['third', one.id],
  ]);
});
