import { setTimeout as sleep } from 'node:timers/promises';
import { RdpPage } from '@sallyport/rdp';
import { connectRdp, type RdpConnection } from '../../server/src/gateway/protocols/rdp/connect.ts';
import { openRdpDesktop } from '../../server/src/gateway/protocols/rdp/desktop.ts';
import type { PrivateXrdp } from '../../server/src/testing/desktops/private-xrdp.ts';
import { trustTestKeys } from '../../server/src/testing/ssh/shell.ts';
import { bastionLine } from './vnc-viewer.ts';

const LOOK_MS = 2;
const LONGEST_MS = 60_000;
/** The kind of a fast-path PDU that holds bitmaps (MS-RDPBCGR 2.2.9.1.2.1), and its offset. */
const BITMAPS = 1;
const KIND_AT = 3;
/** Offset of the left, top, right and bottom edge of a bitmap: u16 each, all inclusive. */
const PLACE_AT = 10;

/** Follows a desktop of RDP as a page does, and counts. */
export class RdpViewer {
  bytes = 0;
  /** Bitmaps: a picture that changes as a whole has more than a hundred. */
  bitmaps = 0;
  pixels = 0;
  /** When the last bytes came. */
  lastAt = performance.now();
  readonly close: () => void;
  readonly #page: RdpPage;

  private constructor(send: (bytes: Buffer) => void, close: () => void) {
    this.#page = new RdpPage(send);
    this.close = close;
  }

  /**
   * By the part of the bastion that speaks the protocol alone: no permission, no recording, nothing
   * between it and the server.
   */
  static async direct(
    { port, passwords }: PrivateXrdp,
    user: keyof PrivateXrdp['passwords'],
    onConnection: (connection: RdpConnection) => void = () => undefined,
  ): Promise<RdpViewer> {
    const target = {
      id: '',
      name: '',
      host: '127.0.0.1',
      port,
      login: { username: user, password: passwords[user] },
    };
    const route = {
      gateways: [],
      target,
      hostKeys: trustTestKeys,
      addresses: { allows: () => true },
      timeoutMs: LONGEST_MS,
      onStage: () => undefined,
    };
    const connection = await connectRdp(route, new AbortController().signal);
    onConnection(connection);
    let viewer: RdpViewer | undefined;
    const desktop = openRdpDesktop(
      connection,
      { host: target.host, isConsole: false, ...target.login },
      {
        width: 1024,
        height: 768,
        name: 'direct',
        clipboard: { copy: false, paste: false },
        files: { upload: false, download: false },
      },
      {
        onShow: (bytes) => viewer?.take(bytes),
        onPicture: () => undefined,
        onInput: () => undefined,
        onKey: () => undefined,
        onFiles: () => undefined,
        onFile: () => ({ add: () => undefined, end: () => undefined }),
        onFileRefused: () => undefined,
        onResizable: () => undefined,
        onDrain: () => undefined,
        onEnd: () => undefined,
      },
    );
    viewer = new RdpViewer(
      (bytes) => desktop.write(bytes),
      () => connection.close(),
    );
    viewer.#page.begin();
    return viewer;
  }

  /** Through the bastion, as the page does. */
  static async through(...where: Parameters<typeof bastionLine>): Promise<RdpViewer> {
    const line = await bastionLine(...where);
    const viewer = new RdpViewer(line.send, line.close);
    line.onBytes((bytes) => viewer.take(bytes));
    viewer.#page.begin();
    return viewer;
  }

  /** Takes bytes of the desktop. */
  take(bytes: Buffer): void {
    this.bytes += bytes.length;
    this.lastAt = performance.now();
    this.#page.take(bytes);
    for (const pdu of this.#page.updates) {
      if (pdu[KIND_AT] !== BITMAPS) continue;
      const [left = 0, top = 0, right = 0, bottom = 0] = [0, 2, 4, 6].map((at) =>
        pdu.readUInt16LE(PLACE_AT + at),
      );
      this.bitmaps++;
      this.pixels += (right - left + 1) * (bottom - top + 1);
    }
    this.#page.updates.length = 0;
    this.#page.got.length = 0;
  }

  /** Waits for the first bitmaps. */
  async picture(): Promise<void> {
    for (const from = performance.now(); this.bitmaps === 0; await sleep(LOOK_MS))
      if (performance.now() - from > LONGEST_MS)
        throw new Error('no picture of a desktop of RDP came');
  }
}
