import { describe, expect, it } from 'vitest';
import { RecordingError, RecordingReader } from './recording.ts';

function read(...pieces: string[]) {
  const reader = new RecordingReader();
  for (const piece of pieces) reader.push(piece);
  return reader.end();
}

const HEADER = '{"version":2,"width":100,"height":30,"timestamp":1}\n';

describe('reading a recording', () => {
  it('reads output and sizes from chunks of any length', () => {
    const whole = `${HEADER}[0.5,"o","a\\u001b[1m你"]\n[1,"r","120x40"]\n[2,"i","secret"]\n[3,"o","b"]\n`;
    const expected = {
      cols: 100,
      rows: 30,
      times: [0.5, 1, 3],
      lengths: [6, 0, 1],
      events: [
        { kind: 'output', text: 'a\u001b[1m你' },
        { kind: 'resize', cols: 120, rows: 40 },
        { kind: 'output', text: 'b' },
      ],
      typists: [],
      duration: 3,
    };
    expect(read(whole)).toMatchObject(expected);
    expect(read(...whole.split(''))).toMatchObject(expected);
  });

  it('plays a recording with a torn last line, and drops that line', () => {
    expect(read(`${HEADER}[1,"o","x"]\n[2,"o","y`)).toMatchObject({ times: [1], duration: 1 });
  });

  it('reports who typed in a session with guests', () => {
    const marks = `${HEADER}[1,"m","guest joined: Bob(bob)"]\n[2,"m","typing: Bob(bob)"]\n[3,"o","x"]\n[4,"m","typing: Ann(ann)"]\n`;
    expect(read(marks)).toMatchObject({
      times: [3],
      typists: [
        { at: 2, name: 'Bob(bob)' },
        { at: 4, name: 'Ann(ann)' },
      ],
    });
  });

  it('keeps time ascending, and ignores invalid lines', () => {
    expect(
      read(`${HEADER}[5,"o","x"]\n[1,"o","y"]\n{}\n[2,"r","0x9999"]\n[null,"o","z"]\n\n`).times,
    ).toEqual([5, 5, 5]);
  });

  it('reports why a recording cannot be played', () => {
    expect(() => read('')).toThrow(new RecordingError('empty'));
    expect(() => read('<html>\n')).toThrow(new RecordingError('format'));
    expect(() => read('{"version":3}\n')).toThrow(new RecordingError('format'));
  });
});
