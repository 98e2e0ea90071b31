import { WebSocket } from 'ws';
import type { Client } from './client.ts';

/** Attempts to open a socket. Returns 101 (and closes it), or the status of the rejection. */
export function tryToOpen(client: Client, path: string): Promise<{ status: number; text: string }> {
  const url = new URL(path, client.url);
  url.protocol = 'ws:';
  return new Promise((settle, fail) => {
    const socket = new WebSocket(url, { headers: { ...client.headers } });
    socket.on('open', () => {
      socket.terminate();
      settle({ status: 101, text: '' });
    });
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => settle({ status: response.statusCode ?? 0, text }));
    });
    socket.on('error', fail);
  });
}
