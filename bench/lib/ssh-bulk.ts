// Run by measures/ssh.ts: reads the output of a command through the SSH part of the gateway,
// without a pseudo-terminal, and prints bytes, milliseconds and CPU seconds.

import { readFileSync } from 'node:fs';
import { guardWindow, limitWindow } from '@sallyport/ssh';
import { TERMINAL_WINDOW } from '../../server/src/gateway/limits.ts';
import { openSshClient } from '../../server/src/gateway/protocols/ssh/ssh-client.ts';
import { openTcp } from '../../server/src/gateway/protocols/tcp.ts';
import { createAddressPolicy } from '../../server/src/platform/address-policy.ts';

const TIMEOUT_MS = 30_000;
const [, , port = '', username = '', keyFile = '', command = ''] = process.argv;
const { signal } = new AbortController();
const host = '127.0.0.1';
const hop = {
  id: 'bench',
  name: 'bench',
  host,
  port: Number(port),
  login: { username, privateKey: readFileSync(keyFile, 'utf8') },
};
const addresses = createAddressPolicy(['127.0.0.0/8'], () => []);
const client = await openSshClient({
  hop,
  kind: 'asset',
  hostKeys: { verify: async () => 'pinned', isPinned: async () => true },
  timeoutMs: TIMEOUT_MS,
  transport: await openTcp(hop, addresses, TIMEOUT_MS, signal),
  onAuthenticating: () => undefined,
  signal,
});
const takeWindow = limitWindow(client, TERMINAL_WINDOW, () => TERMINAL_WINDOW);
client.exec(command, (error, channel) => {
  if (error) throw error;
  takeWindow(channel);
  guardWindow(channel, TERMINAL_WINDOW, () => {
    throw new Error('more came than the window allows');
  });
  const began = performance.now();
  const before = process.cpuUsage();
  let bytes = 0;
  channel.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  channel.on('close', () => {
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(
      JSON.stringify({
        bytes,
        milliseconds: performance.now() - began,
        seconds: (user + system) / 1e6,
      }),
    );
    client.end();
  });
});
