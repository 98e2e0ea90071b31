import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLUSTER_TOKEN,
  type SmallCluster,
  startSmallCluster,
} from '../../../testing/clusters/small-cluster.ts';
import { until } from '../../../testing/poll.ts';
import { type ChannelName, type Channels, channelsOf } from './channels.ts';
import { ClusterAnswer, openRemoteCommand } from './remote-command.ts';

let modern: SmallCluster;
let older: SmallCluster;
beforeAll(async () => {
  modern = await startSmallCluster({ allows: (_user, { name }) => name !== 'closed' });
  older = await startSmallCluster({ refusesWebSocket: true });
  for (const { objects } of [modern, older])
    for (const name of ['web', 'closed'])
      objects.create({ group: '', resource: 'pods', namespace: 'shop' }, { metadata: { name } });
});
afterAll(() => Promise.all([modern?.stop(), older?.stop()]));

interface Run {
  readonly side: Channels;
  readonly output: Record<ChannelName, Buffer[]>;
  readonly ended: Promise<void>;
  readonly text: (channel: ChannelName) => string;
}

async function dial({ port, authority }: SmallCluster): Promise<Duplex> {
  const socket = connect({ port, host: '127.0.0.1', ca: authority, servername: 'localhost' });
  await once(socket, 'secureConnect');
  return socket;
}

async function run(
  cluster: SmallCluster,
  command: readonly string[],
  { stdin = false, tty = false, pod = 'web', pausesAt = Number.POSITIVE_INFINITY } = {},
): Promise<Run> {
  const query = new URLSearchParams({ stdout: 'true', stderr: `${!tty}` });
  if (stdin) query.set('stdin', 'true');
  if (tty) query.set('tty', 'true');
  for (const word of command) query.append('command', word);
  const output = { stdin: [], stdout: [], stderr: [], error: [], resize: [] } as Run['output'];
  const ended = Promise.withResolvers<void>();
  let bytes = 0;
  let hasPaused = false;
  const side = await openRemoteCommand(
    {
      dial: () => dial(cluster),
      path: `/api/v1/namespaces/shop/pods/${pod}/exec?${query}`,
      headers: { authorization: `Bearer ${CLUSTER_TOKEN}`, host: 'cluster' },
      channels: channelsOf({ stdin, stdout: true, stderr: true, tty }),
      timeoutMs: 30_000,
    },
    {
      onData(channel, chunk) {
        output[channel].push(chunk);
        bytes += chunk.length;
        if (bytes > pausesAt && !hasPaused) {
          hasPaused = true;
          side.pause();
        }
      },
      onFinish: () => undefined,
      onDrain: () => undefined,
      onClose: () => ended.resolve(),
    },
  );
  const text = (channel: ChannelName) => Buffer.concat(output[channel]).toString('utf8');
  return { side, output, ended: ended.promise, text };
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe.each([
  ['WebSocket', () => modern],
  ['SPDY, after WebSocket was refused', () => older],
] as const)('a command over %s', (_title, cluster) => {
  it('has its own output, errors and exit status', async () => {
    const { ended, text } = await run(cluster(), ['sh', '-c', 'echo out; echo err >&2; exit 7']);
    await ended;
    expect([text('stdout'), text('stderr')]).toEqual(['out\n', 'err\n']);
    expect(JSON.parse(text('error'))).toMatchObject({
      status: 'Failure',
      details: { causes: [{ reason: 'ExitCode', message: '7' }] },
    });
  });

  it('succeeds', async () => {
    const { ended, text } = await run(cluster(), ['true']);
    await ended;
    expect(JSON.parse(text('error'))).toMatchObject({ status: 'Success' });
  });

  it('reads input until its end', async () => {
    const { side, ended, output } = await run(cluster(), ['cat'], { stdin: true });
    const bytes = randomBytes(3_000_000);
    for (let at = 0; at < bytes.length; at += 32_768)
      side.write('stdin', bytes.subarray(at, at + 32_768));
    side.finish('stdin');
    await ended;
    expect(sha(Buffer.concat(output.stdout))).toBe(sha(bytes));
  });

  it('has a terminal of the size that the client says', async () => {
    const { side, ended, text } = await run(cluster(), ['sh'], { stdin: true, tty: true });
    side.write('resize', Buffer.from('{"Width":91,"Height":33}'));
    await until(() => text('stdout').includes('$ '), 'a prompt');
    side.write('stdin', Buffer.from('stty size; exit 3\n'));
    await ended;
    expect(text('stdout')).toContain('33 91');
    expect(text('error')).toContain('"3"');
  });

  it('waits for a reader', async () => {
    const { side, output, text } = await run(cluster(), ['yes'], { pausesAt: 100_000 });
    await until(() => text('stdout').length > 100_000, 'output');
    const before = output.stdout.length;
    const again = await run(cluster(), ['true']);
    await again.ended;
    // A message that was read already may follow.
    expect(output.stdout.length - before).toBeLessThan(20);
    side.resume();
    await until(() => output.stdout.length > before + 20, 'more output');
    side.destroy();
  });

  it('ends with its connection', async () => {
    const { side, text, ended } = await run(cluster(), ['sh', '-c', 'echo $$; exec sleep 1000']);
    await until(() => text('stdout').includes('\n'), 'the process');
    const pid = Number(text('stdout'));
    side.destroy();
    await ended;
    const lives = () => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await until(() => !lives(), 'the end of the process');
  });
});

it.each([
  ['closed', 403, 'User "bastion" cannot create pods'],
  ['missing', 404, 'pods "missing" not found'],
])('gives the words of a refusal, and does not try SPDY: %s', async (pod, status, text) => {
  const before = modern.requests.length;
  const refused = await run(modern, ['sh'], { pod }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ClusterAnswer);
  expect(refused).toMatchObject({ status, message: text });
  expect(modern.requests.slice(before).map(({ upgrade }) => upgrade)).toEqual(['websocket']);
});
