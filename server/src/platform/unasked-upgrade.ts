import type { ClientRequest } from 'node:http';

/**
 * Calls back when the server answers a request with status 101, which nothing asked for. Node then
 * emits neither a response nor an error, and an abort signal does not end the request.
 */
export function onUnaskedUpgrade(request: ClientRequest, fail: (error: Error) => void): void {
  request.once('upgrade', (_answer, socket) => {
    socket.destroy();
    fail(new Error('unexpected status 101'));
  });
}
