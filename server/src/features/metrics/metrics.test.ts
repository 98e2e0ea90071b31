import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { RELEASE } from '../../platform/release.ts';
import { freePort } from '../../testing/free-port.ts';
import { until } from '../../testing/poll.ts';
import { tryToSignIn } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { startTestProgram } from '../../testing/test-program.ts';
import { readToken } from './listener.ts';

const TOKEN = 'a token of the metrics test';
const GUIDES = ['en', 'zh'].map((language) =>
  resolve(import.meta.dirname, `../../../../docs/operator-guide/records.${language}.md`),
);

let world: SshWorld;
let url: string;
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/metrics`;
  world = await startSshWorld({ metricsPort: port, metricsToken: TOKEN });
});
afterAll(() => world.stop());

const OPEN_METRICS = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
const ask = (token: string | undefined, address = url, method = 'GET', accept = OPEN_METRICS) =>
  fetch(address, {
    method,
    headers: { accept, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });

interface Read {
  readonly types: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, number>;
  readonly text: string;
}

/**
 * Parses OpenMetrics 1.0 strictly: samples follow their family, families and samples are unique,
 * and the end mark is required.
 */
async function read(): Promise<Read> {
  const answer = await ask(TOKEN);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  ]);
  const text = await answer.text();
  expect(text.endsWith('\n# EOF\n')).toBe(true);
  const types = new Map<string, string>();
  const values = new Map<string, number>();
  let family = '';
  const suffixes: Readonly<Record<string, RegExp>> = {
    counter: /^_total$/,
    gauge: /^$/,
    info: /^_info$/,
    summary: /^$/,
    histogram: /^_(bucket|sum|count)$/,
  };
  for (const line of text.trimEnd().split('\n').slice(0, -1)) {
    const type = /^# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|info|summary|histogram)$/.exec(line);
    if (type) {
      family = type[1] ?? '';
      expect(types.has(family), family).toBe(false);
      types.set(family, type[2] ?? '');
      continue;
    }
    if (line.startsWith('# HELP ')) {
      expect(line.startsWith(`# HELP ${family} `), line).toBe(true);
      continue;
    }
    const sample =
      /^([a-z_:][a-z0-9_:]*)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*\})? (NaN|[+-]?Inf|-?[\d.]+(?:e[+-]?\d+)?)$/.exec(
        line,
      );
    expect(sample, line).not.toBeNull();
    const [, name = '', labels = '', value = ''] = sample ?? [];
    expect(
      name.startsWith(family) && suffixes[types.get(family) ?? '']?.test(name.slice(family.length)),
      line,
    ).toBe(true);
    expect(values.has(name + labels), line).toBe(false);
    values.set(
      name + labels,
      value === 'NaN' ? Number.NaN : Number(value.replace('Inf', 'Infinity')),
    );
  }
  return { types, values, text };
}

it('requires the token, on its own address with one path', async () => {
  for (const token of [undefined, '', 'wrong', `${TOKEN}x`, TOKEN.toUpperCase()]) {
    const answer = await ask(token);
    expect([answer.status, answer.headers.get('www-authenticate'), await answer.text()]).toEqual([
      401,
      'Bearer realm="metrics"',
      '',
    ]);
  }
  expect((await ask(TOKEN, url.replace('metrics', 'api/health/'))).status).toBe(404);
  expect((await ask(TOKEN, url, 'POST')).status).toBe(405);
  expect((await ask(TOKEN, url, 'HEAD')).status).toBe(200);
  // The console does not serve it.
  expect(
    (await world.test.visitor.with({ authorization: `Bearer ${TOKEN}` }).get('/metrics')).status,
  ).toBe(404);
  expect(world.test.log()).not.toContain(TOKEN);
});

it('contains the metrics for operators, without names of users or assets', async () => {
  const before = await read();
  expect(
    (await tryToSignIn(world.test, { username: 'nobody-by-this-name', password: 'wrong' })).status,
  ).toBe(400);
  const { login, member } = world;
  await world.ssh.run({ login, password: member.password, command: 'true' });
  await until(async () => (await world.lastSession()).is_finished === true, 'the session is ended');
  let after = await read();
  // The server releases a session after it has stored its end.
  await until(async () => {
    after = await read();
    return after.values.get('sallyport_sessions{protocol="ssh"}') === 0;
  }, 'the server has let go of the session');
  const grown = (sample: string) =>
    (after.values.get(sample) ?? 0) - (before.values.get(sample) ?? 0);
  expect(
    grown('sallyport_sign_ins_total{type="A",result="user_not_exist"}') +
      grown('sallyport_sign_ins_total{type="A",result="password_failed"}'),
  ).toBe(1);
  expect(grown('sallyport_sign_ins_total{type="T",result="success"}')).toBe(1);
  expect(grown('sallyport_sessions_started_total{protocol="ssh"}')).toBe(1);
  expect(grown('sallyport_audit_entries_total{log="login_log"}')).toBeGreaterThanOrEqual(2);
  expect(after.values.get('sallyport_database_up')).toBe(1);
  expect(after.values.get('sallyport_backup_timestamp_seconds')).toBe(0);
  for (const name of [
    member.username,
    member.id,
    world.hostname,
    world.asset,
    world.accountName,
    'nobody-by-this-name',
    '127.0.0.1',
  ])
    expect(after.text).not.toContain(name);
  // Bounded: another round adds series of new kinds only.
  expect(after.values.size).toBeLessThan(400);
  const answered = after.values.get('sallyport_http_request_duration_seconds_count') ?? 0;
  expect(after.values.get('sallyport_http_request_duration_seconds_bucket{le="+Inf"}')).toBe(
    answered,
  );
});

it.each(GUIDES)('lists exactly the metrics of the guide: %s', async (guide) => {
  const { types } = await read();
  const listed = [
    ...(await readFile(guide, 'utf8')).matchAll(/^\| `((?:sallyport|process|nodejs)_[a-z_]+)`/gm),
  ].map(([, name = '']) => name.replace(/_(total|info)$/, ''));
  expect(listed.toSorted()).toEqual([...types.keys()].toSorted());
});

it('refuses to start without a valid token', async () => {
  await expect(startTestProgram({ metricsPort: await freePort() })).rejects.toThrow(
    'SALLYPORT_METRICS_PORT needs a token',
  );
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-metrics-'));
  const file = join(folder, 'token');
  const read = () => readToken({ metricsToken: undefined, metricsTokenFile: file });
  expect(read).toThrow('cannot be read: ENOENT');
  await writeFile(file, 'short\n', { mode: 0o600 });
  expect(read).toThrow('holds fewer than 16 characters');
  await writeFile(file, `${TOKEN}\n`);
  expect(read()).toBe(TOKEN);
  await chmod(file, 0o640);
  expect(read).toThrow(`Run: chmod 600 ${file}`);
  await rm(folder, { recursive: true });
});

it('answers in the text format of Prometheus without OpenMetrics in the accept header', async () => {
  const answer = await ask(TOKEN, url, 'GET', '*/*');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const text = await answer.text();
  expect(text).toContain('# TYPE sallyport_build_info gauge\n');
  const { version, commit = '' } = RELEASE;
  expect(text).toContain(`\nsallyport_build_info{version="${version}",commit="${commit}",node=`);
  expect(text).not.toMatch(/^# EOF$/m);
  // After its first count, a counter has one name, in comments and samples.
  for (const [, name, first] of text.matchAll(/^# TYPE (\S+) counter\n(?!#)([^\s{]+)/gm))
    expect(first).toBe(name);
  expect(text).toMatch(/^# TYPE sallyport_sign_ins_total counter\nsallyport_sign_ins_total\{/m);
  for (const [, type] of text.matchAll(/^# TYPE \S+ (\S+)$/gm))
    expect(['counter', 'gauge', 'histogram', 'summary']).toContain(type);
});

/** Metrics and labels of a PromQL expression, without functions, durations and texts. */
function namesIn(expression: string) {
  const plain = expression.replace(/"[^"]*"/g, '""').replace(/\[[^\]]*\]/g, '');
  const metrics = [...plain.matchAll(/\b(?:sallyport|process|nodejs)_\w+/g)].map(([name]) => name);
  const labels = [
    ...[...plain.matchAll(/(\w+)(?:=|!=|=~)""/g)].map(([, label = '']) => label),
    ...[...plain.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
  ];
  return { metrics, labels };
}

it('has every metric and label of the dashboard and the alert rules', async () => {
  const folder = resolve(import.meta.dirname, '../../../../packaging/monitoring');
  const { groups } = parse(await readFile(join(folder, 'alerts.yaml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
  };
  const { panels } = JSON.parse(await readFile(join(folder, 'dashboard.json'), 'utf8')) as {
    panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  const targets = panels.flatMap((panel) => panel.targets);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  const { types, text } = await read();
  const suffixes: Readonly<Record<string, readonly string[]>> = {
    counter: ['_total'],
    info: ['_info'],
    histogram: ['_bucket', '_sum', '_count'],
  };
  const metrics = [...types].flatMap(([name, type]) =>
    (suffixes[type] ?? ['']).map((suffix) => name + suffix),
  );
  // Counters without a count show no labels; the guide names them.
  const guide = await readFile(GUIDES[0] ?? '', 'utf8');
  const isLabel = (name: string) =>
    ['instance', 'job', 'le'].includes(name) ||
    text.includes(`${name}="`) ||
    guide.includes(`\`${name}\``);
  const expressions = [...rules, ...targets].map(({ expr }) => expr);
  expect(expressions.length).toBeGreaterThan(30);
  for (const expression of expressions) {
    const used = namesIn(expression);
    for (const name of used.metrics) expect(metrics, expression).toContain(name);
    for (const label of used.labels) expect(isLabel(label), `${label} in ${expression}`).toBe(true);
  }
  const texts = [
    ...rules.map(({ annotations }) => annotations.summary),
    ...targets.map(({ legendFormat }) => legendFormat),
  ].join(' ');
  for (const [, label = ''] of texts.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g))
    expect(isLabel(label), label).toBe(true);
});
