import type { Page } from 'playwright-core';

export interface SocketAnswer {
  readonly opened: boolean;
  /** The text messages that came. */
  readonly messages: readonly string[];
}

/**
 * Opens a socket inside of a page, as its own script would, sends a first message and waits until
 * the socket is closed.
 */
export function trySocket(page: Page, path: string, first?: object): Promise<SocketAnswer> {
  return page.evaluate(
    ([address, message]) =>
      new Promise<SocketAnswer>((settle) => {
        const messages: string[] = [];
        let opened = false;
        const socket = new WebSocket(new URL(address ?? '', location.href.replace(/^http/, 'ws')));
        socket.binaryType = 'arraybuffer';
        socket.onopen = () => {
          opened = true;
          if (message) socket.send(message);
        };
        socket.onmessage = ({ data }) => {
          messages.push(typeof data === 'string' ? data : '(bytes)');
        };
        socket.onclose = () => settle({ opened, messages });
      }),
    [path, first && JSON.stringify(first)] as const,
  );
}
