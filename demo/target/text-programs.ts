import { inputsOf, linesOf, optionsOf, type Program, type ProgramContext } from './program.ts';

function echo({ args, out }: ProgramContext): number {
  const isOpen = args[0] === '-n';
  out(`${args.slice(isOpen ? 1 : 0).join(' ')}${isOpen ? '' : '\n'}`);
  return 0;
}

function cat(context: ProgramContext): number {
  const { flags, rest } = optionsOf(context.args);
  for (const { text } of inputsOf(context, rest)) {
    const ends = text === '' || text.endsWith('\n') ? '' : '\n';
    if (flags.has('n'))
      context.out(
        linesOf(text)
          .map((line, index) => `${String(index + 1).padStart(6)}\t${line}\n`)
          .join(''),
      );
    else context.out(text + (context.screen ? ends : ''));
  }
  return 0;
}

/** Parses `-n 5` or `-5`; default 10. */
function countOf(args: readonly string[]): {
  readonly count: number;
  readonly paths: readonly string[];
} {
  const at = args.indexOf('-n');
  if (at >= 0)
    return {
      count: Number(args[at + 1]) || 0,
      paths: args.filter((_, index) => index !== at && index !== at + 1),
    };
  const short = args.find((arg) => /^-\d+$/.test(arg));
  return { count: short ? Number(short.slice(1)) : 10, paths: args.filter((arg) => arg !== short) };
}

function ends(context: ProgramContext, which: 'head' | 'tail'): number {
  const { count, paths } = countOf(context.args);
  for (const { text } of inputsOf(context, paths)) {
    const lines = linesOf(text);
    const part = which === 'head' ? lines.slice(0, count) : count === 0 ? [] : lines.slice(-count);
    context.out(part.map((line) => `${line}\n`).join(''));
  }
  return 0;
}

function grep(context: ProgramContext): number {
  const { flags, rest } = optionsOf(context.args);
  const [pattern, ...paths] = rest;
  if (pattern === undefined) return context.fail('grep: a text to look for is missing');
  // Search plain text: a visitor's regular expression could block the server.
  const needle = flags.has('i') ? pattern.toLowerCase() : pattern;
  const matches = (line: string) =>
    (flags.has('i') ? line.toLowerCase() : line).includes(needle) !== flags.has('v');
  let hitCount = 0;
  for (const { name, text } of inputsOf(context, paths)) {
    const prefix = paths.length > 1 ? `${name}:` : '';
    const hits = linesOf(text)
      .map((line, index) => ({ line, index }))
      .filter(({ line }) => matches(line));
    hitCount += hits.length;
    if (flags.has('c')) context.out(`${prefix}${hits.length}\n`);
    else
      context.out(
        hits
          .map(
            ({ line, index }) =>
              `${prefix}${flags.has('n') ? `${index + 1}:` : ''}${highlight(context, line, pattern, flags.has('v'))}\n`,
          )
          .join(''),
      );
  }
  return hitCount > 0 ? 0 : 1;
}

function highlight(
  context: ProgramContext,
  line: string,
  pattern: string,
  inverted: boolean,
): string {
  return context.screen && !inverted && pattern !== ''
    ? line.split(pattern).join(`\x1b[1;31m${pattern}\x1b[0m`)
    : line;
}

function count(context: ProgramContext): number {
  const { flags, rest } = optionsOf(context.args);
  for (const { name, text } of inputsOf(context, rest)) {
    const numbers = {
      l: text.split('\n').length - 1,
      w: text.split(/\s+/).filter((word) => word !== '').length,
      c: Buffer.byteLength(text),
    };
    const letters = (['l', 'w', 'c'] as const).filter(
      (letter) => flags.size === 0 || flags.has(letter),
    );
    context.out(
      `${letters.map((letter) => String(numbers[letter])).join(' ')}${name === '' ? '' : ` ${name}`}\n`,
    );
  }
  return 0;
}

export const TEXT_PROGRAMS: Readonly<Record<string, Program>> = {
  echo: { summary: 'print its arguments', run: echo },
  cat: { summary: 'print files (-n with numbers)', run: cat },
  head: { summary: 'print the first lines (-n 5)', run: (context) => ends(context, 'head') },
  tail: { summary: 'print the last lines (-n 5)', run: (context) => ends(context, 'tail') },
  grep: { summary: 'print lines that hold a text (-i, -v, -n, -c)', run: grep },
  wc: { summary: 'count lines, words and bytes (-l, -w, -c)', run: count },
  sort: {
    summary: 'sort lines (-r)',
    run: (context) => {
      const { flags, rest } = optionsOf(context.args);
      const lines = inputsOf(context, rest)
        .flatMap(({ text }) => [...linesOf(text)])
        .sort();
      context.out((flags.has('r') ? lines.reverse() : lines).map((line) => `${line}\n`).join(''));
      return 0;
    },
  },
  seq: {
    summary: 'print numbers up to one',
    run: async ({ args, out, fail, signal }) => {
      const last = Number(args[0]);
      if (!Number.isInteger(last) || last < 0 || last > 1_000_000)
        return fail('seq: a number up to 1000000, please');
      for (let first = 1; first <= last && !signal.aborted; first += 2000) {
        out(
          Array.from(
            { length: Math.min(2000, last - first + 1) },
            (_, index) => `${first + index}\n`,
          ).join(''),
        );
        await new Promise((done) => setImmediate(done));
      }
      return 0;
    },
  },
};
