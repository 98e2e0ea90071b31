import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { memoryPorts, PERSON } from '../../../testing/gateway/memory-ports.ts';
import { until } from '../../../testing/poll.ts';
import { BrowserTerminal } from './browser-terminal.ts';
import { ProtocolSocket } from './socket.ts';

it('sends the session before the output that came together with its shell', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const browser = new WebSocket(`ws://127.0.0.1:${port}`);
  const [accepted] = await once(server, 'connection');
  const frames: string[] = [];
  browser.on('message', (data: Buffer, isBinary: boolean) =>
    frames.push(isBinary ? String(data) : JSON.parse(String(data)).type),
  );
  const ignore = () => undefined;
  const terminal = new BrowserTerminal({
    ports: memoryPorts({ host: '127.0.0.1', port, username: 'ops', privateKey: '' }),
    person: PERSON,
    socket: new ProtocolSocket(accepted, 'en', {
      onText: ignore,
      onBytes: ignore,
      onGone: ignore,
    }),
    keepSeconds: 0,
    onOpen: ignore,
    onForget: ignore,
    onEndAway: ignore,
  });
  try {
    terminal.output(Buffer.from('greeting '));
    terminal.output(Buffer.from('prompt'));
    terminal.opened({ id: 'session', asset: 'asset', account: 'account', oldAlgorithms: [] });
    terminal.output(Buffer.from('later'));
    await until(() => frames.includes('later'), 'all output');
    const received = frames.filter((frame) => frame !== 'taken');
    expect(received).toEqual(['open', 'greeting ', 'prompt', 'later']);
  } finally {
    browser.terminate();
    server.close();
  }
});
