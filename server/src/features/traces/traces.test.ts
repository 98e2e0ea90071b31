import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declaredCounters } from '../../platform/metrics/open-metrics.ts';
import { MAX_WAITING } from '../../platform/traces/exporter.ts';
import { until } from '../../testing/poll.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { startTestProgram } from '../../testing/test-program.ts';

const SECRET = 'Bearer secret-of-the-collector';

interface Written {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
}

/** A collector; while it is silent, it answers no request. */
async function startCollector() {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const state = { isSilent: false };
  const server = createServer(async (request, response) => {
    headers.push(request.headers);
    bodies.push(Buffer.concat(await request.toArray()).toString());
    if (!state.isSilent) response.end('{}');
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    bodies,
    headers,
    state,
    spans: (): Written[] =>
      bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

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

const attributeOf = ({ attributes }: Written, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
};

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
    const batch = Array.from({ length: 50 }, () => world.test.visitor.get('/api/health/'));
    for (const { status } of await Promise.all(batch)) expect(status).toBe(200);
  };
  // The collector holds the first batch, and the queue the rest.
  for (let sent = 0; sent < 2 * MAX_WAITING && dropped() === before; sent += 50) await answers();
  expect(dropped()).toBeGreaterThan(before);
  collector.state.isSilent = false;
});

it('sends nothing by default, and refuses unreadable headers', async () => {
  const { url } = collector;
  await writeFile(headersFile, 'no header');
  await expect(startTestProgram({ traces: { url, headersFile } })).rejects.toThrow(
    'line 1 is not a header',
  );
  const missing = join(folder, 'missing');
  await expect(startTestProgram({ traces: { url, headersFile: missing } })).rejects.toThrow(
    'SALLYPORT_TRACES_HEADERS_FILE cannot be read: ENOENT',
  );
  await world.stop();
  const before = collector.bodies.length;
  const off = await startTestProgram();
  expect((await off.visitor.get('/api/health/')).status).toBe(200);
  await off.stop();
  expect(collector.bodies).toHaveLength(before);
});
