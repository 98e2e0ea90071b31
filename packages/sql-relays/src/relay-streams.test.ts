import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { RelayStreams } from './relay-streams.ts';

/** A relay with one answer of the server that waits for the log until `logged` is called. */
function waitingRelay() {
  const [client, target, sent] = [new PassThrough(), new PassThrough(), new PassThrough()];
  client.write = sent.write.bind(sent);
  client.end = ((bytes?: Buffer) => {
    sent.end(bytes);
    return client;
  }) as typeof client.end;
  let logged: () => void = () => undefined;
  let pending: Promise<void> | undefined = new Promise((done) => {
    logged = () => {
      pending = undefined;
      done();
    };
  });
  const relay = new RelayStreams({
    client,
    target,
    fromClient: () => [],
    fromTarget: (chunk) => [chunk],
    written: () => pending,
    active: () => undefined,
    onEnd: () => undefined,
  });
  relay.start(Buffer.from('answer '));
  return { relay, logged: () => logged(), output: text(sent) };
}

it('sends the answer and the reason when a session ends while the log is written', async () => {
  const { relay, logged, output } = waitingRelay();
  relay.close(Buffer.from('reason'), Buffer.from('quit'));
  logged();
  expect(await output).toBe('answer reason');
});

it('sends the reason without the answer when the log failed', async () => {
  const { relay, logged, output } = waitingRelay();
  relay.close(Buffer.from('reason'), Buffer.from('quit'), true);
  logged();
  expect(await output).toBe('reason');
});
