import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declaredCounters } from '../../platform/metrics/open-metrics.ts';
import { MAX_WAITING } from '../../platform/traces/exporter.ts';
import { until } from '../../testing/poll.ts';
import { attributeOf, startCollector } from '../../testing/services/trace-collector.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { startTestProgram } from '../../testing/test-program.ts';

const SECRET = 'Bearer secret-of-the-collector';

let collector: Awaited<ReturnType<typeof startCollector>>;
let world: SshWorld;
let folder: string;
let headersFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-traces-'));
  headersFile = join(folder, 'headers');
  await writeFile(headersFile, `Authorization: ${SECRET}\n`, { mode: 0o600 });
  collector = await startCollector();
  world = await startSshWorld({ traces: { url: collector.url, headersFile } });
});
afterAll(async () => {
  collector.stop();
  await rm(folder, { recursive: true });
});

it('sends spans of requests, session openings and jobs, without names and secrets', async () => {
  const { login, member, administrator, asset } = world;
  const answer = await administrator.get(`assets/assets/${asset}/?search=private-word`);
  expect(answer.status).toBe(200);
  await world.ssh.run({ login, password: member.password, command: 'echo private-command' });
  const spansOf = (name: string) => collector.spans().filter((span) => span.name === name);
  await until(async () => spansOf('session open').length > 0, 'the opening has arrived');
  const [open] = spansOf('session open');
  expect(open && attributeOf(open, 'sallyport.kind')).toBeDefined();
  for (const name of ['check access', 'connect'])
    expect(spansOf(name)[0]).toMatchObject({ traceId: open?.traceId, parentSpanId: open?.spanId });
  const task = await administrator.post(`assets/system-users/${world.systemUser}/tasks/`, {
    action: 'test',
  });
  expect(task.status).toBeLessThan(300);
  await until(
    async () => spansOf('job').some((job) => attributeOf(job, 'sallyport.job')?.includes('test')),
    'the job has arrived',
  );
  const request = collector
    .spans()
    .find((span) => attributeOf(span, 'http.route')?.startsWith('/api/v1/assets/assets/:'));
  expect(request && attributeOf(request, 'http.response.status_code')).toBe('200');
  expect(request && attributeOf(request, 'sallyport.request')).toBeTruthy();
  expect(collector.headers[0]?.authorization).toBe(SECRET);
  const all = collector.bodies.join('\n');
  for (const text of [
    member.username,
    member.password,
    member.id,
    world.hostname,
    asset,
    world.accountName,
    'private-',
    '127.0.0.1',
    SECRET,
  ])
    expect(all).not.toContain(text);
  expect(world.test.log()).not.toContain(SECRET);
});

it('takes the trace id of a valid traceparent header only', async () => {
  const trace = 'a1'.repeat(16);
  const bad = 'b2'.repeat(16);
  const zero = '0'.repeat(32);
  const span = '1234567890abcdef';
  const parents = [`00-${trace}-${span}-01`, `00-${bad}-${span}`, `ff-${bad}-${span}-01`];
  const more = [`00-${zero}-${span}-01`, `00-${bad}-${'0'.repeat(16)}-01`, `${bad}\t`];
  const before = collector.spans().length;
  for (const traceparent of [...parents, ...more])
    await world.test.visitor.with({ traceparent }).get('/api/health/');
  const health = () =>
    collector
      .spans()
      .slice(before)
      .filter((one) => attributeOf(one, 'http.route')?.startsWith('/api/health'));
  await until(async () => health().length === 6, 'the spans have arrived');
  const ids = health().map(({ traceId }) => traceId);
  expect(ids.filter((id) => id === trace)).toHaveLength(1);
  expect(ids).not.toContain(bad);
  expect(ids).not.toContain(zero);
  expect(new Set(ids).size).toBe(6);
});

it('answers requests while the collector is silent, and drops spans beyond the limit', async () => {
  collector.state.isSilent = true;
  const dropped = () =>
    declaredCounters()
      .find(({ name }) => name === 'sallyport_trace_spans_total')
      ?.values()
      .find(({ labels }) => labels.result === 'dropped')?.value ?? 0;
  const before = dropped();
  const answers = async () => {
    const batch = Array.from({ length: 50 }, () => world.test.visitor.get('settings/public/'));
    for (const { status } of await Promise.all(batch)) expect(status).toBe(200);
  };
  // The collector holds the first batch, and the queue the rest.
  for (let sent = 0; sent < 2 * MAX_WAITING && dropped() === before; sent += 50) await answers();
  expect(dropped()).toBeGreaterThan(before);
  collector.state.isSilent = false;
});

it('refuses unreadable headers', async () => {
  const { url } = collector;
  await writeFile(headersFile, 'no header');
  await expect(startTestProgram({ traces: { url, headersFile } })).rejects.toThrow(
    'line 1 is not a header',
  );
  const missing = join(folder, 'missing');
  await expect(startTestProgram({ traces: { url, headersFile: missing } })).rejects.toThrow(
    'SALLYPORT_TRACES_HEADERS_FILE cannot be read: ENOENT',
  );
});

it('makes no spans and sends nothing while it is off', async () => {
  await world.stop();
  const counted = () =>
    declaredCounters()
      .find(({ name }) => name === 'sallyport_trace_spans_total')
      ?.values();
  const [bodies, counts] = [collector.bodies.length, counted()];
  const off = await startSshWorld();
  const { login, member, asset, systemUser, ssh } = off;
  expect((await off.test.visitor.get('/api/health/')).status).toBe(200);
  await ssh.run({ login, password: member.password, command: 'true' });
  const own = await bearer(off.test, member);
  expect((await own.post(`files/${asset}/${systemUser}/connect/`, {})).status).toBe(200);
  // Stopping would send spans that wait.
  await off.stop();
  expect(collector.bodies).toHaveLength(bodies);
  expect(counted()).toEqual(counts);
});
