import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { DESKTOP_SOCKET_PATH } from '@sallyport/contract';
import { StreamParser, serverMessages, TO } from '@sallyport/vnc';
import { WebSocket } from 'ws';
import { requestDesktop, signIn } from '../../server/src/gateway/protocols/vnc/handshake.ts';
import { RawScreen } from '../../server/src/testing/desktops/desktop-client.ts';
import { trustTestKeys } from '../../server/src/testing/ssh/shell.ts';

/** Pixels as they are, which a viewer of ours draws. */
const RAW = [0] as const;
/**
 * Encodings of noVNC: copies and Tight with JPEG. Our viewer only counts these frames.
 */
const LIKE_NOVNC = [1, 7, 0, -26, -254] as const;

/** Bytes of a desktop behind its handshake. */
export interface VncLine {
  readonly width: number;
  readonly height: number;
  /** The row of the session; empty without a bastion. */
  readonly session: string;
  send(bytes: Buffer): void;
  onBytes(take: (bytes: Buffer) => void): void;
  close(): void;
}

/** Connects to a VNC server as viewers do that know no bastion. */
export async function directLine(port: number, password: string): Promise<VncLine> {
  const socket: Duplex = connect({ host: '127.0.0.1', port, noDelay: true });
  const target = { id: '', name: '', host: '127.0.0.1', port, login: { username: '', password } };
  const begun = await signIn(socket, { target, hostKeys: trustTestKeys, onStage: () => undefined });
  const size = await requestDesktop(begun, 'direct');
  return {
    ...size,
    session: '',
    send: (bytes) => void socket.write(bytes),
    onBytes: (take) => void socket.on('data', take).resume(),
    close: () => void socket.destroy(),
  };
}

/** Connects through the bastion, as the page does. */
export function bastionLine(
  url: string,
  token: string,
  desktop: { readonly asset: string; readonly system_user: string },
): Promise<VncLine> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${DESKTOP_SOCKET_PATH}`, {
    perMessageDeflate: false,
    headers: { authorization: `Bearer ${token}` },
  });
  socket.once('open', () =>
    socket.send(JSON.stringify({ type: 'connect', width: 1024, height: 768, ...desktop })),
  );
  let take: ((bytes: Buffer) => void) | undefined;
  let size = { width: 0, height: 0 };
  return new Promise((done, failed) => {
    socket.on('error', failed);
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) {
        take?.(data);
        socket.send(JSON.stringify({ type: 'ack', bytes: data.length }));
        return;
      }
      const message = JSON.parse(data.toString()) as {
        type: string;
        session?: string;
        code?: string;
        width: number;
        height: number;
      };
      if (message.type === 'closed') failed(new Error(`the desktop was refused: ${message.code}`));
      else if (message.type === 'desktop') size = { width: message.width, height: message.height };
      else if (message.type === 'open')
        done({
          ...size,
          session: message.session ?? '',
          send: (bytes) => socket.send(bytes),
          onBytes: (listener) => {
            take = listener;
          },
          close: () => socket.close(),
        });
    });
  });
}

/** Names encodings and asks for all of the picture. */
function ask(line: VncLine, encodings: readonly number[]): void {
  const message = Buffer.alloc(4 + encodings.length * 4);
  message.writeUInt8(2, 0);
  message.writeUInt16BE(encodings.length, 2);
  for (const [index, encoding] of encodings.entries())
    message.writeInt32BE(encoding, 4 + index * 4);
  // Pixels of 32 bits, red in the lowest byte, as the bastion sets them.
  line.send(Buffer.from([0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]));
  line.send(message);
  line.send(request(line, false));
}

function request({ width, height }: VncLine, isIncremental: boolean): Buffer {
  const message = Buffer.from([3, isIncremental ? 1 : 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  message.writeUInt16BE(width, 6);
  message.writeUInt16BE(height, 8);
  return message;
}

/** Waits until the picture is complete. */
export function firstPicture(line: VncLine): Promise<void> {
  const screen = new RawScreen();
  screen.resize(line.width, line.height);
  return new Promise((done) => {
    line.onBytes((bytes) => {
      screen.feed(bytes);
      if (screen.drawn > 0) done();
    });
    ask(line, RAW);
  });
}

/** Follows a desktop as noVNC does, and counts. */
export class CountingViewer {
  bytes = 0;
  frames = 0;
  /** When the last bytes came. */
  lastAt = 0;
  readonly line: VncLine;

  constructor(line: VncLine) {
    this.line = line;
    const parser = new StreamParser(
      serverMessages({
        size: line,
        isWatched: () => false,
        // The head of a message of pixels comes alone.
        add: (bytes, to) => {
          if (to !== TO.page || bytes.length !== 4 || bytes[0] !== 0) return;
          this.frames++;
          line.send(request(line, true));
        },
        endRecord: () => undefined,
        beginForViewers: () => undefined,
        checkSize: () => undefined,
        resized: () => undefined,
        mayCopy: () => false,
      }),
    );
    line.onBytes((bytes) => {
      this.bytes += bytes.length;
      this.lastAt = performance.now();
      parser.feed(bytes);
    });
    ask(line, LIKE_NOVNC);
  }
}
