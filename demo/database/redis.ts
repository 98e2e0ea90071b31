import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { encodeCommand } from '../../server/src/gateway/protocols/redis/replies.ts';
import { inLanguage } from '../language.ts';
import { type DemoProgram, installed, onceItAnswers, startDemoProgram } from './program.ts';

const READY_MS = 30_000;
/** The last key written; it marks complete sample data. */
const DONE = 'sample-keys-are-there';

/** Permissions of users: working with keys; no settings, files, scripts or other servers. */
const RULES = '~* &* +@all -@admin -@dangerous -@scripting +info +keys +flushdb';

/**
 * Starts an in-memory Redis server with keys of the shop; returns undefined if Redis is not
 * installed.
 */
export async function startDemoRedis(
  dataDirectory: string,
  password: string,
  port: number | undefined,
): Promise<DemoProgram | undefined> {
  const path = installed('redis-server');
  if (!path) return undefined;
  const program = await startDemoProgram({
    path,
    folder: join(dataDirectory, 'demo-redis'),
    port,
    start: (chosen) => ({ words: ['-'], input: configuration(chosen, password) }),
  });
  try {
    await fill(program, password);
    return program;
  } catch (error) {
    await program.stop();
    throw error;
  }
}

const configuration = (port: number, password: string): string =>
  [
    ...[
      `port ${port}`,
      'bind 127.0.0.1',
      'dir .',
      'save ""',
      'appendonly no',
      'maxmemory 64mb',
      'maxmemory-policy allkeys-lru',
      'maxclients 50',
    ],
    `user default on #${createHash('sha256').update(password).digest('hex')} ${RULES}`,
    '',
  ].join('\n');

const fill = (program: DemoProgram, password: string): Promise<void> =>
  onceItAnswers(
    program,
    {
      milliseconds: READY_MS,
      isEarly: (error) => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED',
    },
    () => write(program.port, [['auth', password], ...sampleKeys(), ['echo', DONE]]),
  );

async function write(port: number, commands: readonly (readonly string[])[]): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.end(Buffer.concat(commands.map((words) => encodeCommand(words))));
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    if (!answer.includes(DONE) || /(?:^|\r\n)-/.test(answer))
      throw new Error('the sample keys of Redis could not be written');
  } finally {
    socket.destroy();
  }
}

const PRODUCTS = [
  '茶杯',
  'Desk lamp',
  '书架',
  'Chair',
  '台灯',
  'Notebook',
  '背包',
  'Bottle',
] as const;
const DAY_SECONDS = 86_400;

/**
 * Carts, stock, visitor sessions, a queue, a ranking and a stream: every type of key, in levels.
 */
function sampleKeys(): readonly (readonly string[])[] {
  const number = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
  const products = inLanguage(PRODUCTS);
  const product = (at: number) => products[at % products.length] ?? '';
  return [
    ['flushdb'],
    ...number(80).map((at) => ['set', `shop:stock:${at}`, String((at * 13) % 200)]),
    ...number(40).map((at) => [
      'hset',
      `shop:cart:${at * 7}`,
      product(at),
      '1',
      product(at + 3),
      String((at % 3) + 1),
    ]),
    ...number(30).map((at) => [
      'set',
      `web:session:${(at * 7919).toString(16)}`,
      JSON.stringify({ customer: at, language: 'zh' }),
      'ex',
      String(DAY_SECONDS),
    ]),
    ...number(6).map((at) => [
      'sadd',
      `shop:tag:${['home', 'office', 'gift', 'new', 'sale', 'kids'][at - 1]}`,
      product(at),
      product(at + 1),
      product(at + 4),
    ]),
    ['zadd', 'shop:top', ...products.flatMap((name, at) => [String(900 - at * 97), name])],
    [
      'rpush',
      'queue:mail',
      ...number(12).map((at) => JSON.stringify({ order: 19_000 + at, text: 'sent' })),
    ],
    ...number(20).map((at) => [
      'xadd',
      'shop:orders',
      '*',
      'customer',
      String(at * 7),
      'product',
      product(at),
    ]),
    ['set', 'shop:opened', 'true'],
  ];
}
