import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { CommandHosts, TaskMonitor } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildAsset, buildPermission, unique } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { until } from '../../../testing/poll.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { type SshServerOptions, startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';
import type { Stop } from './outcome.ts';
import { addCommand, beginCommand, endAbandoned, endCommand } from './store.ts';
import { worded } from './words.ts';

const PATH = 'ops/command-executions/';
const LOGS = 'audits/command-execution-logs/';
const JOBS = 'common/jobs/';
const KIND = 'run-command';
const OUTCOMES = ['queued', 'running', 'succeeded', 'partly', 'failed', 'canceled'] as const;

let world: SshWorld;
let member: Client;
let auditor: Client;
let installation: Client;
let runs: NonNullable<SshServerOptions['runs']> = () => false;
const hosts: string[] = [];
beforeAll(async () => {
  const target = startSshServer({ runs: (request, program) => runs(request, program) });
  world = await startWorld({}, target, sshClient);
  const { test, organization, sshd, systemUser } = world;
  const english = (client: Client) =>
    client.inOrganization(organization).with({ 'accept-language': 'en' });
  member = english(await bearer(test, world.member));
  auditor = english(await signInMember(test, organization, 'Auditor'));
  installation = english(await bearer(test));
  for (let index = 0; index < 12; index += 1)
    hosts.push(
      await buildAsset(test.db, { organization, hostname: unique('host'), port: sshd.port }),
    );
  await buildPermission(test.db, {
    organization,
    users: [world.member.id],
    assets: hosts,
    systemUsers: [systemUser],
  });
});
afterAll(() => world.stop());
beforeEach(() => {
  runs = () => false;
});

interface Case {
  /** The states of the hosts when the run stops. */
  readonly states: readonly ('succeeded' | 'failed' | 'running' | 'waiting')[];
  readonly stop: Stop | undefined;
}

/** Stores a run that stops as told, and ends its job as the queue does. */
async function stopped({ states, stop }: Case): Promise<string> {
  const { db } = world.test;
  const id = randomUUID();
  await db.transaction((tx) =>
    addCommand(
      {
        id,
        organization: world.organization,
        userId: world.member.id,
        user: 'Member',
        remoteAddress: '127.0.0.1',
        systemUserId: world.systemUser,
        command: 'uptime',
        isCanary: false,
        failureLimit: 0,
        hosts: hosts.slice(0, states.length),
      },
      tx,
    ),
  );
  await beginCommand(id, db);
  await sql`insert into job (id, name, state, user_id, org_id, started_by, date_started)
    values (${id}, ${KIND}, 'running', ${world.member.id}, ${world.organization}, 'Member', now())`.execute(
    db,
  );
  for (const [index, state] of states.entries())
    await sql`update command_execution_host set state = ${state}
      where commandexecution_id = ${id} and position = ${index + 1}`.execute(db);
  await sql`update command_execution set
    done_amount = ${states.filter((one) => one === 'succeeded' || one === 'failed').length},
    failed_amount = ${states.filter((one) => one === 'failed').length}
    where id = ${id}`.execute(db);
  const setState = (state: string) =>
    sql`update job set state = ${state}, date_finished = now()
      where id = ${id} and state = 'running'`.execute(db);
  if (stop === 'canceled') await setState('canceled');
  const problem = worded(stop === 'limit' ? 'command_too_many_failures' : 'command_interrupted', {
    limit: 0,
  });
  await endCommand(id, stop && { stop, problem }, db);
  await setState(stop === 'error' ? 'failed' : 'succeeded');
  return id;
}

/** The rules, written a second time. */
function expected({ states, stop }: Case) {
  const ended = states.map((state) =>
    state === 'waiting'
      ? 'left_out'
      : state === 'running'
        ? stop === 'canceled'
          ? 'canceled'
          : 'failed'
        : state,
  );
  const count = (state: string) => ended.filter((one) => one === state).length;
  const failed = count('failed');
  const good = count('succeeded');
  const outcome =
    stop === 'canceled'
      ? 'canceled'
      : stop === 'error'
        ? 'failed'
        : good === states.length
          ? 'succeeded'
          : good > 0 && failed > 0
            ? 'partly'
            : 'failed';
  const text = {
    canceled: 'Canceled',
    failed: 'Failed',
    succeeded: 'Succeeded',
    partly: `Partly failed (${failed} of ${states.length})`,
  }[outcome];
  return { ended, failed, outcome, text, done: good + failed, canceled: count('canceled') };
}

const everyCase: readonly Case[] = [0, 2].flatMap((good) =>
  [0, 1].flatMap((failed) =>
    [0, 1].flatMap((running) =>
      [0, 1].flatMap((waiting) =>
        ([undefined, 'canceled', 'error', 'limit'] as const).flatMap((stop) => {
          const states = [
            ...Array<'succeeded'>(good).fill('succeeded'),
            ...Array<'failed'>(failed).fill('failed'),
            ...Array<'running'>(running).fill('running'),
            ...Array<'waiting'>(waiting).fill('waiting'),
          ];
          // A run that nothing stops has ended on all hosts, and the limit needs a failed one.
          const isPossible =
            states.length > 0 &&
            (stop !== undefined || running + waiting === 0) &&
            (stop !== 'limit' || failed > 0);
          return isPossible ? [{ states, stop }] : [];
        }),
      ),
    ),
  ),
);

/** Ids of a list with each outcome, by the filter of the list. */
async function byOutcome(client: Client, path: string): Promise<ReadonlyMap<string, string>> {
  const outcomes = new Map<string, string>();
  for (const outcome of OUTCOMES) {
    const { body } = await client.get<Page>(`${path}?limit=200&outcome=${outcome}`);
    for (const { id, outcome: own } of body.results) {
      expect(own).toBe(outcome);
      outcomes.set(String(id), outcome);
    }
  }
  return outcomes;
}

describe('the outcome of a batch command', () => {
  it('agrees in every place for all results of hosts and all reasons of a stop', async () => {
    const cases = new Map<string, Case>();
    for (const one of everyCase) cases.set(await stopped(one), one);
    const lists = [
      await byOutcome(member, PATH),
      await byOutcome(auditor, LOGS),
      await byOutcome(member, JOBS),
    ];
    const file = (await auditor.get(`${LOGS}?format=csv&limit=200`)).text.split('\n');
    const news = (await member.get<Page>('users/notifications/?kind=job_failed&limit=200')).body;
    const { failed: monitored } = (await installation.get<TaskMonitor>('ops/task-monitor/')).body;
    const reasons = new Map(monitored.map(({ id, reason }) => [id, reason]));
    for (const [id, one] of cases) {
      const right = expected(one);
      const row = (await member.get<Json>(`${PATH}${id}/`)).body;
      const log = (await auditor.get<Json>(`${LOGS}${id}/`)).body;
      const job = (await member.get<Json>(`${JOBS}${id}/`)).body;
      const results = (await member.get<CommandHosts>(`${PATH}${id}/hosts/`)).body.results;
      const isBad = right.outcome === 'failed' || right.outcome === 'partly';
      const read = (from: Json, done: string, failed: string) => [
        from.outcome,
        from.state_display,
        from[done],
        from[failed],
      ];
      const same = [right.outcome, right.text, right.done, right.failed];
      expect({
        one,
        hosts: results.map(({ state }) => state),
        page: read(row, 'done_amount', 'failed_amount'),
        log: read(log, 'done_amount', 'failed_amount'),
        job: read(job, 'done', 'failed'),
        canceled: [row.canceled_amount, log.canceled_amount],
        success: [row.is_success, log.is_success],
        lists: lists.map((list) => list.get(id)),
        file: file.some((line) => line.includes(id) && line.includes(`,${right.text},`)),
        isNews: news.results.some(({ resource_id: about }) => about === id),
        isMonitored: reasons.has(id),
      }).toEqual({
        one,
        hosts: right.ended,
        page: same,
        log: same,
        job: same,
        canceled: [right.canceled, right.canceled],
        success: [right.outcome === 'succeeded', right.outcome === 'succeeded'],
        lists: [right.outcome, right.outcome, right.outcome],
        file: true,
        isNews: isBad,
        isMonitored: isBad,
      });
    }
  });

  it('keeps its value when a cancellation arrives after the end', async () => {
    for (const [states, outcome] of [
      [['succeeded', 'succeeded'], 'succeeded'],
      [['failed'], 'failed'],
      [['succeeded', 'failed'], 'partly'],
    ] as const) {
      const id = await stopped({ states, stop: undefined });
      await sql`update job set state = 'running' where id = ${id}`.execute(world.test.db);
      await sql`update job set state = 'canceled' where id = ${id}`.execute(world.test.db);
      const read = async (path: string) => (await member.get<Json>(`${path}${id}/`)).body;
      expect([(await read(PATH)).outcome, (await read(JOBS)).outcome]).toEqual([outcome, outcome]);
      expect((await read(JOBS)).state).not.toBe('canceled');
    }
  });

  it.each(['-2 minutes', '150 days'])(
    'ends as interrupted when its job is lost: created %s',
    async (age) => {
      const { db } = world.test;
      const id = await stopped({ states: ['succeeded', 'running'], stop: undefined });
      await sql`update command_execution set is_finished = false, outcome = 'running',
      date_created = now() + ${age}::interval where id = ${id}`.execute(db);
      await sql`delete from job where id = ${id}`.execute(db);
      await endAbandoned(db);
      expect((await member.get<Json>(`${PATH}${id}/`)).body.is_finished).toBe(true);
    },
  );

  it('changes to canceled together with its job, before its hosts have ended', async () => {
    const { db } = world.test;
    const id = await stopped({ states: ['succeeded', 'running', 'waiting'], stop: undefined });
    await sql`update command_execution set is_finished = false, outcome = 'running',
      date_created = now() - interval '2 minutes' where id = ${id}`.execute(db);
    await sql`update command_execution_host set state = 'running'
      where commandexecution_id = ${id} and position = 2`.execute(db);
    await sql`update job set state = 'canceled' where id = ${id}`.execute(db);
    for (const path of [PATH, JOBS])
      expect((await member.get<Json>(`${path}${id}/`)).body.outcome).toBe('canceled');
    expect((await auditor.get<Json>(`${LOGS}${id}/`)).body.outcome).toBe('canceled');
    // A canceled command whose server was lost is still canceled, not interrupted.
    await endAbandoned(db);
    const { body } = await member.get<Json>(`${PATH}${id}/`);
    expect([body.is_finished, body.outcome, body.reason, body.canceled_amount]).toEqual([
      true,
      'canceled',
      'The batch command was canceled.',
      1,
    ]);
  });

  it('follows from the rows that an earlier version stored', async () => {
    const { db } = world.test;
    const cases: readonly (readonly [
      Case,
      code: Parameters<typeof worded>[0] | undefined,
      string,
    ])[] = [
      [{ states: ['succeeded', 'failed'], stop: undefined }, undefined, 'partly'],
      [{ states: ['failed'], stop: undefined }, undefined, 'failed'],
      [{ states: ['succeeded'], stop: undefined }, undefined, 'succeeded'],
      [{ states: ['succeeded', 'running'], stop: 'canceled' }, 'command_canceled', 'canceled'],
      [{ states: ['succeeded', 'waiting'], stop: 'error' }, 'command_interrupted', 'failed'],
      [{ states: ['failed', 'waiting'], stop: 'limit' }, 'command_too_many_failures', 'failed'],
      [{ states: ['succeeded', 'failed'], stop: 'limit' }, 'command_too_many_failures', 'partly'],
    ];
    const ids: string[] = [];
    for (const [one, code] of cases) {
      const id = await stopped(one);
      ids.push(id);
      // The earlier version stored canceled hosts as failed, and no outcome.
      await sql`update command_execution_host set state = 'failed'
        where commandexecution_id = ${id} and state = 'canceled'`.execute(db);
      await sql`update command_execution set outcome = 'queued',
        done_amount = done_amount + canceled_amount,
        failed_amount = failed_amount + canceled_amount, canceled_amount = 0,
        problem = ${code ? JSON.stringify(worded(code, { limit: 0 })) : null}::jsonb
        where id = ${id}`.execute(db);
    }
    const file = new URL('../../../migrations/1710_outcomes_of_commands.sql', import.meta.url);
    const statements = (await readFile(file, 'utf8')).split(';\n').map((text) => text.trim());
    for (const text of statements.map((one) => one.replace(/^(--.*\n)+/, '')))
      if (text.startsWith('update ')) await sql.raw(text).execute(db);
    for (const [index, [one, , outcome]] of cases.entries()) {
      const { body } = await member.get<Json>(`${PATH}${ids[index]}/`);
      const right = expected(one);
      expect([body.outcome, body.done_amount, body.failed_amount, body.canceled_amount]).toEqual([
        outcome,
        right.done,
        right.failed,
        right.canceled,
      ]);
    }
  });

  it('rejects an unknown outcome as a filter', async () => {
    for (const [client, path] of [
      [member, PATH],
      [auditor, LOGS],
    ] as const)
      expect((await client.get(`${path}?outcome=lost`)).status).toBe(400);
  });
});

describe('a run that its user cancels', () => {
  it('shows each host and each stage as it ended, the same on the page and in its job', async () => {
    let count = 0;
    // Later commands never answer.
    runs = (request, { accept }) => {
      count += 1;
      if (request !== 'exec' || count <= 3) return false;
      accept();
      return true;
    };
    const { body } = await member.post<Json>(PATH, {
      hosts,
      run_as: world.systemUser,
      command: 'uptime',
      is_canary: true,
      failure_limit: 100,
    });
    const id = String(body.id);
    const states = async () =>
      (await member.get<CommandHosts>(`${PATH}${id}/hosts/`)).body.results.map(
        ({ state }) => state,
      );
    await until(
      async () => (await states()).includes('running') && (await states()).includes('succeeded'),
      'a host has ended, and another one runs',
    );
    expect((await member.post(`${PATH}${id}/cancel/`)).status).toBe(200);
    const read = async (path: string) => (await member.get<Json>(`${path}${id}/`)).body;
    await until(async () => (await read(PATH)).is_finished === true, 'the run has ended');
    const row = await read(PATH);
    const ended = await states();
    const amount = (state: string) => ended.filter((one) => one === state).length;
    expect(row).toMatchObject({
      outcome: 'canceled',
      done_amount: amount('succeeded'),
      failed_amount: 0,
      canceled_amount: amount('canceled'),
    });
    expect(ended).toContain('canceled');
    expect(ended).not.toContain('failed');
    const job = await read(JOBS);
    expect([job.outcome, job.done, job.failed, job.total]).toEqual([
      'canceled',
      amount('succeeded'),
      0,
      hosts.length,
    ]);
    const stages = row.stages as readonly { readonly size: number; readonly state: string }[];
    expect(stages.map(({ size }) => size)).toEqual([1, 2, 9]);
    let before = 0;
    for (const { size, state } of stages) {
      const own = ended.slice(before, before + size);
      before += size;
      const right = own.includes('canceled')
        ? 'canceled'
        : own.every((one) => one === 'succeeded')
          ? 'succeeded'
          : 'left_out';
      expect({ own, state }).toEqual({ own, state: right });
    }
  });
});
