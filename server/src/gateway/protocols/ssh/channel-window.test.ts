import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import {
  type Client,
  type ClientChannel,
  type ServerChannel,
  ssh2,
} from '../../../platform/ssh/ssh2.ts';
import { UNREAD_OUTPUT } from '../../limits.ts';
import { type HostileServer, startHostileServer } from '../../testing/hostile-ssh.ts';
import { guardWindow } from './backpressure.ts';
import { limitWindow } from './channel-window.ts';

const WINDOW = 256 * 1024;

let server: HostileServer | undefined;
let client: Client | undefined;
afterEach(async () => {
  client?.end();
  await server?.stop();
});

/** Opens a shell with a limited window on a server that sends `output` immediately. */
async function shellThatSends(
  output: Buffer,
): Promise<{ readonly channel: ClientChannel; readonly target: () => ServerChannel }> {
  let opened: ServerChannel | undefined;
  server = await startHostileServer((channel) => {
    opened = channel;
    channel.end(output);
  });
  client = new ssh2.Client();
  client.connect({
    host: server.host,
    port: server.port,
    username: 'somebody',
    authHandler: ['none'],
    hostVerifier: () => true,
  });
  await once(client, 'ready');
  // After each test the server closes without a disconnect message.
  client.on('error', () => undefined);
  const takeWindow = limitWindow(client, WINDOW);
  const channel = await new Promise<ClientChannel>((done, failed) =>
    client?.shell((error, shell) => {
      if (error) return failed(error);
      shell.pause();
      takeWindow(shell);
      done(shell);
    }),
  );
  return {
    channel,
    target: () => {
      if (!opened) throw new Error('no shell was opened');
      return opened;
    },
  };
}

/** Bytes that the server may still send. */
function windowOf(target: ServerChannel): unknown {
  return Object(Reflect.get(target, 'outgoing')).window;
}

it('limits unread output to the buffer and one window', async () => {
  const output = Buffer.alloc(4 * (WINDOW + UNREAD_OUTPUT), 'a');
  const { channel, target } = await shellThatSends(output);
  guardWindow(channel, WINDOW, () => expect.unreachable());
  await expect.poll(() => windowOf(target())).toBe(0);
  expect(channel.readableLength).toBeLessThanOrEqual(UNREAD_OUTPUT + WINDOW);
});

it('delivers output of any size complete and in order', async () => {
  const output = Buffer.from(Array.from({ length: 20 * WINDOW }, (_, at) => at % 251));
  const { channel } = await shellThatSends(output);
  const pieces: Buffer[] = [];
  channel.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = once(channel, 'close');
  channel.resume();
  await ended;
  expect(Buffer.concat(pieces).equals(output)).toBe(true);
});
