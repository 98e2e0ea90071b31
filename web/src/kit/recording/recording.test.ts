import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadRecording, RecordingError, RecordingReader } from './recording.ts';

function read(...pieces: string[]) {
  const reader = new RecordingReader();
  for (const piece of pieces) reader.push(piece);
  return reader.end();
}

const HEADER = '{"version":2,"width":100,"height":30,"timestamp":1}\n';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

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

it('lets the page draw between two pieces of a recording', async () => {
  const rests: (() => void)[] = [];
  vi.stubGlobal('requestIdleCallback', (rest: () => void) => rests.push(rest));
  let time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 20;
    return time;
  });
  const pieces = [HEADER, '[1,"o","one"]\n', '[2,"o","two"]\n'].map((text) =>
    new TextEncoder().encode(text),
  );
  const body = new ReadableStream<Uint8Array>({
    start(file) {
      for (const piece of pieces) file.enqueue(piece);
      file.close();
    },
  });
  vi.stubGlobal('fetch', async () => new Response(body));
  const loaded: number[] = [];
  const loading = loadRecording(fetch('/recording'), (bytes) => loaded.push(bytes));
  for (const amount of [1, 2, 3]) {
    await vi.waitFor(() => expect(rests).toHaveLength(1));
    expect(loaded).toHaveLength(amount);
    rests.pop()?.();
  }
  expect((await loading).events).toHaveLength(2);
});
