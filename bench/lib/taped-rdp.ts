import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { PduReader } from '@sallyport/rdp';
import { makeSelfSigned } from '../../server/src/testing/certificates.ts';
import type { RdpTapes, TapedFrame } from './rdp-tape.ts';

const FRAME_MS = 100;
/** X.224 Connection Confirm: TLS without network level authentication (MS-RDPBCGR 2.2.1.2). */
const CONFIRM = Buffer.from('030000130ed000001234000200080001000000', 'hex');

/** A server of RDP that plays what xrdp sent, so that many desktops need no xrdp. */
export interface TapedRdp {
  readonly port: number;
  /** Begins to play the frames on some desktops, ten a second on each, again and again. */
  play(frames: readonly TapedFrame[], desktops: number): void;
  /** Frames and bitmaps played so far. */
  readonly played: number;
  readonly bitmaps: number;
  /** Frames left out, because the one before was not written yet. */
  readonly late: number;
  pause(): void;
  stop(): Promise<void>;
}

export async function startTapedRdp({ opening }: RdpTapes): Promise<TapedRdp> {
  const { key, certificate } = await makeSelfSigned('IP:127.0.0.1');
  const desktops = new Set<Desktop>();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', () => {
      socket.write(CONFIRM);
      const stream = new TLSSocket(socket, { isServer: true, key, cert: certificate });
      stream.on('error', () => undefined);
      const desktop = new Desktop(stream);
      desktops.add(desktop);
      stream.once('close', () => desktops.delete(desktop));
      void desktop.open(opening);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let playing: NodeJS.Timeout | undefined;
  const counts = { played: 0, bitmaps: 0, late: 0 };
  return {
    port: (server.address() as AddressInfo).port,
    get played() {
      return counts.played;
    },
    get bitmaps() {
      return counts.bitmaps;
    },
    get late() {
      return counts.late;
    },
    play(frames, count) {
      const all = [...desktops].slice(0, count);
      // Spread over the interval, as desktops of people are.
      let turn = 0;
      const began = performance.now();
      playing = setInterval(() => {
        const due = ((performance.now() - began) / FRAME_MS) * all.length;
        for (; turn < due; turn++) {
          const desktop = all[turn % all.length];
          const number = Math.floor(turn / all.length);
          const frame = frames[number % frames.length];
          if (!desktop || !frame) continue;
          if (desktop.isBusy) counts.late++;
          else {
            counts.played++;
            counts.bitmaps += frame.bitmaps;
            void desktop.play(frame);
          }
        }
      }, 1);
    },
    pause: () => clearInterval(playing),
    async stop() {
      clearInterval(playing);
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

class Desktop {
  isBusy = false;
  readonly #stream: TLSSocket;
  readonly #reader = new PduReader();
  #received = 0;
  #onPdu: () => void = () => undefined;

  constructor(stream: TLSSocket) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      this.#received += this.#reader.push(chunk).length;
      this.#onPdu();
    });
  }

  async open(opening: RdpTapes['opening']): Promise<void> {
    for (const { after, bytes } of opening) {
      while (this.#received < after)
        await new Promise<void>((done) => {
          this.#onPdu = done;
        });
      this.#stream.write(bytes);
    }
  }

  /** Writes the records of a frame, in the intervals of the tape. */
  async play(frame: TapedFrame): Promise<void> {
    this.isBusy = true;
    const began = performance.now();
    for (const { at, bytes } of frame.records) {
      const wait = at - (performance.now() - began);
      if (wait >= 1) await sleep(wait);
      if (!this.#stream.write(bytes)) await once(this.#stream, 'drain');
    }
    this.isBusy = false;
  }
}
