import { expect, it } from 'vitest';
import { createTerminal } from './create-terminal.ts';

it.each(['L', 'M', 'S', 'T', 'b', 'I', 'Z'])(
  'ignores a sequence with a repeat count of two billion (%s), and draws the rest',
  async (final) => {
    const terminal = createTerminal({ cols: 80, rows: 24 });
    const output = `a\x1b[2147483647${final}\r\nb\x1b[3b`;
    await new Promise<void>((done) => terminal.write(output, done));
    const rows = [0, 1].map((row) => terminal.buffer.active.getLine(row)?.translateToString(true));
    expect(rows).toEqual(['a', 'bbbb']);
    terminal.dispose();
  },
);
