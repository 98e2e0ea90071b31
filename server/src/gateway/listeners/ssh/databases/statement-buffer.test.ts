import { MAX_SCRIPT } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { StatementBuffer } from './statement-buffer.ts';

describe('lines of SQL', () => {
  it.each([
    [['select 1;'], 'select 1;'],
    [['select 1', '  ;  '], 'select 1\n  ;  '],
    [["select 'a;", "  b';"], "select 'a;\n  b';"],
    [['select 1 -- no; end', ';'], 'select 1 -- no; end\n;'],
    [['select 1; select', '2;'], 'select 1; select\n2;'],
    [['select 1; -- done'], 'select 1; -- done'],
    [['do $$ begin;', 'end $$;'], 'do $$ begin;\nend $$;'],
  ])('runs %j once the statement is complete', (lines, text) => {
    const buffer = new StatementBuffer('postgresql');
    for (const line of lines.slice(0, -1)) expect(buffer.add(line)).toEqual({ kind: 'nothing' });
    expect(buffer.isOpen).toBe(lines.length > 1);
    expect(buffer.add(lines.at(-1) ?? '')).toEqual({ kind: 'run', text });
    expect(buffer.isOpen).toBe(false);
  });

  it('keeps the body of a MySQL routine together', () => {
    const buffer = new StatementBuffer('mysql');
    expect(buffer.add('create procedure p() begin select 1;')).toEqual({ kind: 'nothing' });
    expect(buffer.add('end;')).toMatchObject({ kind: 'run' });
  });

  it('accepts commands of the prompt only at the start of a statement, except \\c and \\q', () => {
    const buffer = new StatementBuffer('mysql');
    for (const line of ['exit', 'QUIT;', '\\q'])
      expect(buffer.add(line)).toEqual({ kind: 'leave' });
    for (const line of ['\\?', 'help', '\\h']) expect(buffer.add(line)).toEqual({ kind: 'help' });
    expect(buffer.add('\\d')).toEqual({ kind: 'tables' });
    expect(buffer.add('\\d Item;')).toEqual({ kind: 'columns', table: 'Item' });
    expect(buffer.add('   ')).toEqual({ kind: 'nothing' });
    expect(buffer.add('select')).toEqual({ kind: 'nothing' });
    expect(buffer.add('exit')).toEqual({ kind: 'nothing' });
    expect(buffer.add('\\c')).toEqual({ kind: 'nothing' });
    expect(buffer.isOpen).toBe(false);
    expect(buffer.add('select 1;')).toEqual({ kind: 'run', text: 'select 1;' });
    buffer.add('select');
    expect(buffer.add('\\q')).toEqual({ kind: 'leave' });
  });

  it.each(['mysql', 'postgresql'] as const)(
    'rejects unknown backslash commands of %s at once, and keeps them out of the next statement',
    (type) => {
      const buffer = new StatementBuffer(type);
      for (const [line, name] of [
        ['\\dt', '\\dt'],
        ['  \\l+ ', '\\l+'],
        ['\\d+ Item', '\\d+'],
        ['\\x', '\\x'],
        ['\\', '\\'],
        [`\\${'x'.repeat(99)}`, `\\${'x'.repeat(31)}`],
      ]) {
        expect(buffer.add(line ?? '')).toEqual({ kind: 'unknown', name });
        expect(buffer.isOpen).toBe(false);
      }
      expect(buffer.add('select 1;')).toEqual({ kind: 'run', text: 'select 1;' });
      // Within a statement a backslash may be part of a text.
      expect(buffer.add("select '")).toEqual({ kind: 'nothing' });
      expect(buffer.add("\\dt';")).toEqual({ kind: 'run', text: "select '\n\\dt';" });
    },
  );

  it('rejects a statement that is too long, and starts again', () => {
    const buffer = new StatementBuffer('mysql');
    buffer.add(`select '${'x'.repeat(MAX_SCRIPT - 20)}`);
    expect(buffer.add('x'.repeat(30))).toEqual({ kind: 'too_long' });
    expect(buffer.isOpen).toBe(false);
  });
});

it('runs each Redis line as a command', () => {
  const buffer = new StatementBuffer('redis');
  expect(buffer.add(' get a ')).toEqual({ kind: 'run', text: 'get a' });
  expect(buffer.add('\\d')).toEqual({ kind: 'run', text: '\\d' });
  expect(buffer.add('quit')).toEqual({ kind: 'leave' });
});
