import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RelayStreams } from './relay-streams.ts';

/** A relay with one answer of the server that waits for the log. */
function waitingRelay() {
  const [client, target, sent] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const passed: Buffer[] = [];
  client.write = ((bytes: Buffer) => {
    passed.push(bytes);
    return sent.write(bytes);
  }) as typeof client.write;
  client.end = ((bytes?: Buffer) => {
    sent.end(bytes);
    return client;
  }) as typeof client.end;
  /** One function for each answer that the log lacks, which logs it. */
  const unlogged: (() => void)[] = [];
  let last: Promise<void> | undefined;
  const relay = new RelayStreams({
    client,
    target,
    fromClient: () => [],
    fromTarget: (chunk) => {
      last = new Promise((done) => unlogged.push(done));
      return [chunk];
    },
    written: () => (unlogged.length > 0 ? last : undefined),
    active: () => undefined,
    onEnd: () => undefined,
  });
  relay.start(Buffer.from('answer '));
  return {
    relay,
    target,
    passed,
    output: text(sent),
    /** The server sends an answer, which the relay reads unless it makes the server wait. */
    answer: async (bytes: string) => {
      target.write(bytes);
      await turn();
    },
    /** Logs the oldest answer that is not in the log. */
    log: async () => {
      unlogged.shift()?.();
      await turn();
    },
  };
}

it('sends the answer and the reason when a session ends while the log is written', async () => {
  const { relay, log, output } = waitingRelay();
  relay.close(Buffer.from('reason'), Buffer.from('quit'));
  await log();
  expect(await output).toBe('answer reason');
});

it('sends the reason without the answer when the log failed', async () => {
  const { relay, log, output } = waitingRelay();
  relay.close(Buffer.from('reason'), Buffer.from('quit'), true);
  await log();
  expect(await output).toBe('reason');
});

it('reads an answer while another waits, and sends none before it is in the log', async () => {
  const { relay, passed, answer, log, output } = waitingRelay();
  await answer('second ');
  await log();
  expect(passed).toEqual([]);
  await log();
  relay.close(Buffer.from('reason'), Buffer.from('quit'));
  expect(await output).toBe('answer second reason');
});

it('waits for each answer so far when the session ends', async () => {
  const { relay, answer, log, output } = waitingRelay();
  await answer('second ');
  relay.close(Buffer.from('reason'), Buffer.from('quit'));
  await log();
  let isEnded = false;
  void output.then(() => {
    isEnded = true;
  });
  await turn();
  expect(isEnded).toBe(false);
  await log();
  expect(await output).toBe('answer second reason');
});

it('waits for the answers of a read whose rest breaks the protocol', async () => {
  const [client, target] = [new PassThrough(), new PassThrough()];
  const written = Promise.withResolvers<void>();
  const passed: string[] = [];
  client.write = ((bytes: Buffer) => passed.push(String(bytes)) > 0) as typeof client.write;
  client.end = ((bytes: Buffer) => {
    passed.push(String(bytes));
    return client;
  }) as typeof client.end;
  const relay = new RelayStreams({
    client,
    target,
    fromClient: () => [],
    *fromTarget(chunk) {
      yield chunk;
      throw new Error('broken');
    },
    written: () => written.promise,
    active: () => undefined,
    onEnd: () => relay.close(Buffer.from('reason'), Buffer.from('quit')),
  });
  relay.start(Buffer.from('answer'));
  await turn();
  expect(passed).toEqual([]);
  written.resolve();
  await turn();
  expect(passed).toEqual(['answer', 'reason']);
});

it('stops reading a server that sends much ahead of the log, or all the time', async () => {
  const much = waitingRelay();
  await much.answer('x'.repeat(70_000));
  expect(much.target.isPaused()).toBe(true);
  await much.log();
  await much.log();
  expect(much.target.isPaused()).toBe(false);
  const always = waitingRelay();
  await always.answer('second ');
  expect(always.target.isPaused()).toBe(false);
  await always.log();
  expect(always.target.isPaused()).toBe(true);
  await always.log();
  expect(always.target.isPaused()).toBe(false);
});
