import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModeScanner, SCREEN_MODES } from './mode-scanner.ts';

const STREAM = Buffer.from(
  'a\x1b[?2004hb\x1b[?1;1049hc\x1b\x1b[?25l\x1b[31m\x1b[?1049ld' +
    '\x1b[?9999999999999999999999999999999999h\x1b[?2004le',
);
const SWITCHES = [
  'bracketed true',
  'alternate true',
  'hidden false',
  'alternate false',
  'bracketed false',
];

describe('mode switches', () => {
  it('finds each mode switch and its end, however chunks split the stream', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 80 }),
        (sizes) => {
          const scanner = new ModeScanner(SCREEN_MODES);
          const switches: string[] = [];
          const ends: number[] = [];
          for (let at = 0, index = 0; at < STREAM.length; index++) {
            const size = sizes[index % sizes.length] ?? 1;
            const began = at;
            scanner.scan(STREAM.subarray(at, at + size), (mode, on, end) => {
              switches.push(`${mode} ${on}`);
              ends.push(began + end);
            });
            at += size;
          }
          expect(switches).toEqual(SWITCHES);
          for (const end of ends)
            expect(['h', 'l']).toContain(String.fromCharCode(STREAM[end - 1] ?? 0));
        },
      ),
    );
  });
});
