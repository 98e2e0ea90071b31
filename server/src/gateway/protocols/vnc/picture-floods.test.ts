import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { VNC_FLOODS } from '../../../testing/hostile/vnc-pictures.ts';
import { longestBlock } from '../../../testing/measures/longest-block.ts';
import { VncDesktop } from './desktop.ts';

const CHUNK = 64 * 1024;
const DESKTOPS = 8;
/** Bytes that a recording and a page receive before the desktop pauses for them. */
const MAX_TAKEN = 4 * 1024 * 1024;

/** A desktop whose server sends a part, and the bytes that it passes to its recording and page. */
function desktopOf(part: Buffer) {
  const stream = new Duplex({
    read: () => undefined,
    write: (_bytes, _encoding, done) => done(),
  });
  let [taken, isOver] = [0, false];
  const take = (bytes: Buffer) => {
    taken += bytes.length;
    if (taken > MAX_TAKEN) desktop.pause();
  };
  const desktop: VncDesktop = new VncDesktop({
    stream,
    close: () => undefined,
    facts: { protocol: 'vnc', width: 7680, height: 4320, name: 'desktop' },
    clipboard: { copy: true, paste: true },
    events: {
      onShow: take,
      onPicture: take,
      onInput: () => undefined,
      onKey: () => undefined,
      onFiles: () => undefined,
      onFile: () => ({ add: () => undefined, end: () => undefined }),
      onFileRefused: () => undefined,
      onResizable: () => undefined,
      onDrain: () => undefined,
      onEnd: () => {
        isOver = true;
      },
    },
  });
  return {
    desktop,
    get taken() {
      return taken;
    },
    /** Sends the part again and again, as fast as the desktop reads it. */
    async send(chunks: number) {
      const whole = Buffer.concat(
        Array.from({ length: Math.ceil(CHUNK / part.length) }, () => part),
      );
      for (let at = 0; at < chunks * CHUNK && !isOver && taken <= MAX_TAKEN; at += CHUNK) {
        stream.push(whole.subarray(at % whole.length, (at % whole.length) + CHUNK));
        const isWaiting = () => stream.readableLength > 0 && !isOver;
        let turns = 0;
        do await turn();
        while (++turns < 2000 && isWaiting() && taken <= MAX_TAKEN);
      }
    },
  };
}

it.each(VNC_FLOODS)(
  'keeps the event loop free and stops at a full recording when the server $name',
  async ({ part }) => {
    let most = 0;
    const share = await longestBlock(async () => {
      const desktops = Array.from({ length: DESKTOPS }, () => desktopOf(part));
      await Promise.all(desktops.map((one) => one.send(2)));
      most = Math.max(...desktops.map(({ taken }) => taken));
      for (const { desktop } of desktops) desktop.close();
    });
    expect(share).toBeLessThan(1);
    expect(most).toBeLessThan(MAX_TAKEN + 1024 * 1024);
  },
);
