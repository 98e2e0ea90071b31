import { OutputFilter, RESTORE_TERMINAL } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const [ESC, SIZE] = ['\x1b', { cols: 40, rows: 12 }];

/** Parts of hostile output: introducers, their parts, ends, and control characters anywhere. */
const part = fc.oneof(
  fc.constantFrom(
    ...[ESC, `${ESC}[`, `${ESC}]`, `${ESC}P`, `${ESC}_`, `${ESC}^`, `${ESC}X`, `${ESC}\\`, '\x07'],
    ...['\x9b', '\x9d', '\x90', '\x9c', '\x18', '\x1a', '\x05', '\0', '\x7f', '\n', '\r', '\x0e'],
    ...[
      '0;title',
      '2;title',
      '52;c;eA==',
      '8;;http://x',
      '4;1;?',
      '10;?',
      '$qm',
      '+q544e',
      ';',
      ':',
    ],
    ...['?', '>', '=', '<', '!', '$', ' ', '"', "'", '#', '%', '(', '6', '5', '18', '21', '2026'],
    ...['n', 'c', 't', 'p', 'q', 'h', 'l', 'm', 'x', 'u', 'i', 'T', 'b', 'H', 'J', 'Z', '\\', ']'],
    ...[
      '[3J',
      '[?03J',
      'c',
      '?1;2004',
      '?1000',
      '?1003',
      '?1004',
      '?25',
      '?1049',
      '[6n',
      '[c',
      'text',
      '数',
      '😀',
      'é',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const output = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));

/** Output of a program that draws, which passes unchanged. */
const number = fc.integer({ min: 0, max: 45 });
const drawing = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'plain text',
        'wide 数据',
        '\r\n',
        '\t',
        '\b',
        '\x0e',
        '\x0f',
        `${ESC}(0`,
        `${ESC}(B`,
      ),
      fc.constantFrom('7', '8', 'D', 'M', 'E', 'H', '#8').map((rest) => ESC + rest),
      fc
        .tuple(number, number, fc.constantFrom(...'@ABCDEFGHIKLMPSXZ`abdefgmr'))
        .map(
          ([one, two, final]) =>
            `${ESC}[${'HfmrK'.includes(final) ? `${one};${two}` : one}${final}`,
        ),
      fc
        .constantFrom(
          '?25l',
          '?25h',
          '?7l',
          '?7h',
          '?6h',
          '?6l',
          '4h',
          '4l',
          '?1049h',
          '?1049l',
          'J',
          '1J',
          '2J',
          's',
          'u',
        )
        .map((rest) => `${ESC}[${rest}`),
      fc.tuple(number, number).map(([red, blue]) => `${ESC}[38;2;${red};0;${blue}m`),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

/** Filters the bytes in pieces that end anywhere, also inside of a character. */
function filterPieces(text: string, cuts: readonly number[], types = false): string {
  const bytes = Buffer.from(text.toWellFormed());
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])];
  const [filter, decoder] = [new OutputFilter(types), new TextDecoder()];
  let at = 0;
  let passed = '';
  for (const end of ends.sort((one, two) => one - two)) {
    passed += filter.filter(decoder.decode(bytes.subarray(at, end), { stream: true }));
    at = end;
  }
  return passed;
}

async function draw(text: string) {
  const terminal = new xterm.Terminal({ ...SIZE, allowProposedApi: true, scrollback: 5_000 });
  const events: string[] = [];
  terminal.onData((data) => events.push(`answer ${JSON.stringify(data)}`));
  terminal.onBinary((data) => events.push(`answer ${JSON.stringify(data)}`));
  terminal.onTitleChange((title) => events.push(`title ${title}`));
  terminal.onResize(() => events.push('size'));
  for (const id of [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 104, 110, 133, 777, 1337])
    terminal.parser.registerOscHandler(id, () => {
      events.push(`command ${id}`);
      return false;
    });
  await new Promise<void>((done) => terminal.write(text, done));
  const { buffer, modes } = terminal;
  const lines = Array.from({ length: buffer.active.length }, (_, row) =>
    buffer.active.getLine(row)?.translateToString(),
  );
  const { type, cursorX, cursorY } = buffer.active;
  terminal.dispose();
  return { events, modes, screen: { lines, type, cursorX, cursorY } };
}

const INPUT_MODES = {
  applicationCursorKeysMode: false,
  applicationKeypadMode: false,
  bracketedPasteMode: false,
  mouseTrackingMode: 'none',
  sendFocusMode: false,
  synchronizedOutputMode: false,
};

const cuts = fc.array(fc.nat(), { maxLength: 12 });

it('passes nothing that commands a terminal, whatever the output and its pieces', {
  timeout: limitOf(120_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(output, cuts, fc.boolean(), async (text, places, types) => {
      const { events, modes } = await draw(filterPieces(text, places, types));
      expect(events).toEqual([]);
      if (!types) expect(modes).toMatchObject(INPUT_MODES);
    }),
    runs(4_000),
  );
});

it('passes the same, however the output is cut', { timeout: limitOf(120_000) }, () => {
  fc.assert(
    fc.property(output, cuts, fc.boolean(), (text, places, types) => {
      expect(filterPieces(text, places, types)).toBe(filterPieces(text, [], types));
    }),
    runs(2_000),
  );
});

it('draws the same screen for output of allowed sequences', {
  timeout: limitOf(120_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(drawing, cuts, async (text, places) => {
      const passed = filterPieces(text, places);
      expect(passed).toBe(text);
      expect((await draw(passed)).screen).toEqual((await draw(text)).screen);
    }),
    runs(1_000),
  );
});

it('keeps what the terminal of a viewer showed before', {
  timeout: limitOf(60_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(output, cuts, async (text, places) => {
      const { screen } = await draw(
        `own line${'\r\n'.repeat(SIZE.rows)}${filterPieces(text, places)}${RESTORE_TERMINAL}`,
      );
      expect(screen.lines[0]?.trimEnd()).toBe('own line');
    }),
    { ...runs(1_000), examples: [['\x1bc\x1b[3J', []]] },
  );
});

it('leaves no mode of the session in the terminal of a viewer', {
  timeout: limitOf(60_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(output, drawing, async (text, more) => {
      const passed = filterPieces(text + more, [], true);
      const { modes, screen } = await draw(passed + RESTORE_TERMINAL);
      expect(modes).toMatchObject({ ...INPUT_MODES, insertMode: false, wraparoundMode: true });
      expect(screen.type).toBe('normal');
      const next = await draw(`${passed}${RESTORE_TERMINAL}\r\x1b[2K\tx`);
      expect(next.screen.lines).toContainEqual(expect.stringMatching(/^ {8}x *$/));
    }),
    {
      ...runs(500),
      examples: [
        ['\x1b[3g', ''],
        ['', '\x1b(0\x1b[?1049h'],
        ['\x1b[3g\x1b[2G\x1bH', ''],
      ],
    },
  );
});
