import { expect, it } from 'vitest';
import { incomingOf, outgoingOf } from './channel-internals.ts';
import { having, protocolOf } from './internals.ts';
import type { ClientChannel } from './ssh2.ts';
import { connectPair, type Pair } from './testing/connect-pair.ts';

const TEXT = 'x'.repeat(5000);

/** Makes each side announce a maximum packet size for its next channel. */
function announce({ client, connection }: Pair, size: number): void {
  const ours = protocolOf(client);
  const { session } = ours;
  ours.session = (id, window) => session.call(ours, id, window, size);
  const theirs = having<{ channelOpenConfirm(...fields: readonly number[]): void }>(
    protocolOf(connection),
    'channelOpenConfirm',
  );
  const { channelOpenConfirm } = theirs;
  theirs.channelOpenConfirm = (their = 0, own = 0, window = 0) =>
    channelOpenConfirm.call(theirs, their, own, window, size);
}

const received = (channel: NodeJS.ReadableStream): Promise<string> =>
  new Promise((done) => {
    let text = '';
    channel.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.length >= TEXT.length) done(text);
    });
  });

it.each([0, 1, 1023])('sends data to a peer that takes packets of %i bytes', async (size) => {
  const pair = await connectPair(() => undefined);
  announce(pair, size);
  const channel = await new Promise<ClientChannel>((done, failed) =>
    pair.client.shell((error, shell) => (error ? failed(error) : done(shell))),
  );
  const shell = await pair.shell;
  expect(outgoingOf(channel).packetSize).toBe(1024);
  expect(outgoingOf(shell).packetSize).toBe(1024);
  expect(incomingOf(channel).window).toBeGreaterThan(TEXT.length);
  channel.write(TEXT);
  expect(await received(shell)).toBe(TEXT);
  shell.write(TEXT);
  expect(await received(channel)).toBe(TEXT);
  pair.close();
});
