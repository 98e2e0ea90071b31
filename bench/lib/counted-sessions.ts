import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ssh2 } from '@sallyport/ssh';
import pg from 'pg';
import type { CountedStream } from './counted-stream.ts';
import { LINE_MILLISECONDS } from './light-target.ts';
import { SshTerminal } from './ssh-terminal.ts';
import { BastionTerminal } from './terminal.ts';
import { BLOCK, FILE_BLOCKS, type UpgradeWorld } from './upgrade-world.ts';

/** Connections from one address of loopback: sign-ins of an address are limited. */
const PER_ADDRESS = 20;
const addressOf = (number: number) => `127.0.1.${Math.floor(number / PER_ADDRESS) + 1}`;

/** Opens a shell over SSH. Like the others, returns a function that ends it. */
export async function openSsh(
  { server, privateKey }: UpgradeWorld,
  stream: CountedStream,
  number: number,
) {
  const terminal = await SshTerminal.open({
    port: server.sshPort,
    username: 'admin@target@target',
    privateKey,
    from: addressOf(number),
    isKnown: () => true,
  });
  terminal.onOutput = (bytes) => stream.takeOutput(bytes);
  return endedBy(stream, terminal.closed, () => terminal.close());
}

/** Opens a web terminal. */
export async function openWeb({ server, client, shells }: UpgradeWorld, stream: CountedStream) {
  const terminal = await BastionTerminal.open(server.url, client.token, shells);
  terminal.onOutput = (bytes) => stream.takeOutput(bytes);
  return endedBy(stream, terminal.closed, () => terminal.close());
}

/** Opens a client of PostgreSQL that asks for numbers. */
export async function openDatabase({ password: made }: UpgradeWorld, stream: CountedStream) {
  const password = await made();
  const one = new pg.Client({
    host: '127.0.0.1',
    port: password.port,
    user: password.username,
    password: password.password,
    database: 'sales',
  });
  one.on('error', () => undefined);
  await one.connect();
  const closed = new Promise((done) => one.once('end', done));
  const stop = repeat(stream, async (number) => {
    const { rows } = await one.query<{ answer: number }>(`select ${number} as answer`);
    return rows[0]?.answer ?? 0;
  });
  return endedBy(stream, closed, async () => {
    await stop();
    await one.end();
  });
}

/** Opens a client of SFTP that reads the blocks of a file. */
export async function openFiles(
  { server, privateKey, path, content }: UpgradeWorld,
  stream: CountedStream,
  number: number,
) {
  const client = new ssh2.Client();
  const closed = new Promise((done) => client.once('close', () => done(undefined)));
  await new Promise((done, fail) => {
    client.once('ready', () => done(undefined)).once('error', fail);
    client.connect({
      host: '127.0.0.1',
      port: server.sshPort,
      username: 'admin@files@files',
      privateKey,
      localAddress: addressOf(number),
      hostVerifier: () => true,
    });
  });
  const sftp = await promisify(client.sftp.bind(client))();
  const file = await promisify<string, 'r', Buffer>(sftp.open.bind(sftp))(path, 'r');
  const stop = repeat(stream, (block) => {
    const at = (block % FILE_BLOCKS) * BLOCK;
    return new Promise((done, fail) => {
      sftp.read(file, Buffer.alloc(BLOCK), 0, BLOCK, at, (error, _count, bytes) => {
        if (error) fail(error);
        else done(bytes.equals(content.subarray(at, at + BLOCK)) ? block : 0);
      });
    });
  });
  return endedBy(stream, closed, async () => {
    await stop();
    client.end();
  });
}

/** Notes that a session ended before the measure ended it. */
function endedBy(stream: CountedStream, closed: Promise<unknown>, end: () => Promise<unknown>) {
  let isMeant = false;
  void closed.then(() => {
    stream.hasEnded ||= !isMeant;
  });
  return () => {
    isMeant = true;
    return end();
  };
}

/** Asks again and again, twice a second. Returns a function that stops. */
function repeat(stream: CountedStream, ask: (number: number) => Promise<number>) {
  let isStopped = false;
  const run = async () => {
    for (let number = 1; !isStopped; number++) {
      const next = sleep(LINE_MILLISECONDS);
      stream.take(await ask(number));
      await next;
    }
  };
  const running = run().catch(() => {
    stream.wrong += isStopped ? 0 : 1;
  });
  return async () => {
    isStopped = true;
    await running;
  };
}
