// node scripts/character-widths.mjs: writes the table of character widths of the command tracker.
// Needs Debian with gcc, musl-tools and fish, because the C libraries and shells of targets decide
// where a cursor is. Run it after a release of Unicode, with a Node of that Unicode.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, say } from './lib.mjs';

const UNICODE = '17.0';
const PACKAGES = {
  '@xterm/headless': '6.0.0',
  '@xterm/addon-unicode11': '0.9.0',
  'get-east-asian-width': '1.7.0',
};
const [HEADLESS, UNICODE_11, EAST_ASIAN] = Object.keys(PACKAGES);
const TABLE = 'server/src/gateway/sessions/terminal/commands/width-table.ts';
/** Later planes have private characters and invisible ones only. */
const LAST = 0x3ffff;
/** Zero width although no mark: medial and final letters of Hangul. */
const ZERO = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/u;
const SOFT_HYPHEN = 0xad;
/** Marks join other characters, and sequences change the width of an emoji. */
const JOINING = /[\p{M}\p{Cn}\p{Co}\p{Cs}\p{Cc}\p{Emoji_Presentation}]/u;
const PROGRAM = `#define _XOPEN_SOURCE 700
#include <locale.h>
#include <stdio.h>
#include <wchar.h>
int main(void) {
  if (!setlocale(LC_ALL, "C.UTF-8")) return 1;
  for (int code = 0; code <= ${LAST}; code++)
    printf("%d ", code >= 0xd800 && code < 0xe000 ? -1 : wcwidth(code));
}
`;

const run = (program, words, options) =>
  execFileSync(program, words, { maxBuffer: 2 ** 26, encoding: 'utf8', ...options });
const isScalar = (code) => code >= 0x20 && (code < 0xd800 || code > 0xdfff);

/** Widths by the C library of a compiler. */
function ofLibrary(folder, compiler) {
  const source = join(folder, 'widths.c');
  writeFileSync(source, PROGRAM);
  run(compiler, ['-static', '-o', join(folder, compiler), source]);
  const widths = run(join(folder, compiler), []).split(' ').map(Number);
  return (code) => widths[code];
}

/** Widths by fish, which has its own table. */
function ofFish(folder) {
  const codes = Array.from({ length: LAST + 1 }, (_, code) => code).filter(
    (code) => isScalar(code) && !/[\p{Cc}\p{Z}]/u.test(String.fromCodePoint(code)),
  );
  const file = join(folder, 'characters');
  writeFileSync(file, codes.map((code) => `${String.fromCodePoint(code)}\n`).join(''));
  const script = `string length --visible <${file}`;
  const environment = { ...process.env, LC_ALL: 'C.UTF-8', HOME: folder };
  const lines = run('fish', ['--no-config', '-c', script], { env: environment })
    .trim()
    .split('\n')
    .map(Number);
  if (lines.length !== codes.length) throw new Error('fish printed another number of lines');
  const widths = new Map(codes.map((code, index) => [code, lines[index]]));
  return (code) => widths.get(code);
}

/** Widths by the tables of Unicode 6 and 11 of xterm.js. */
function ofXterm(require) {
  const terminal = new (require(HEADLESS).Terminal)({ allowProposedApi: true });
  terminal.loadAddon(new (require(UNICODE_11).Unicode11Addon)());
  const providers = terminal._core.unicodeService._providers;
  return ['6', '11'].map((version) => (code) => providers[version].wcwidth(code));
}

function ofUnicode(eastAsianWidthType) {
  return (code) => {
    if (code !== SOFT_HYPHEN && ZERO.test(String.fromCodePoint(code))) return 0;
    return ['wide', 'fullwidth'].includes(eastAsianWidthType(code)) ? 2 : 1;
  };
}

/** Runs of classes: length in base 36, then a capital letter. See `width-table.ts`. */
function encode(classOf) {
  let text = '';
  let length = 0;
  for (let code = 0; code <= LAST; code++) {
    length++;
    if (code < LAST && classOf(code) === classOf(code + 1)) continue;
    text += length.toString(36) + classOf(code);
    length = 0;
  }
  return text;
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-widths-'));
try {
  if (process.versions.unicode !== UNICODE)
    throw new Error(`This Node has Unicode ${process.versions.unicode}, not ${UNICODE}.`);
  const names = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  run('npm', ['install', '--silent', '--ignore-scripts', '--prefix', folder, ...names]);
  const require = createRequire(join(folder, 'package.json'));
  const module = pathToFileURL(require.resolve(EAST_ASIAN)).href;
  const newest = ofUnicode((await import(module)).eastAsianWidthType);
  const others = [
    ...ofXterm(require),
    ofLibrary(folder, 'gcc'),
    ofLibrary(folder, 'musl-gcc'),
    ofFish(folder),
  ];
  const isAgreed = (code) =>
    code === 0x20 ||
    (isScalar(code) &&
      newest(code) > 0 &&
      !JOINING.test(String.fromCodePoint(code)) &&
      others.every((widthOf) => widthOf(code) === newest(code)));
  const classes = ['A', 'B', 'C'];
  const table = encode((code) => {
    const width = isScalar(code) ? newest(code) : 1;
    return isAgreed(code) ? ['D', 'E'][width - 1] : classes[width];
  });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg replaces the field
  const version = (name) => run('dpkg-query', ['-W', '-f', '${Version}', name]);
  const libraries = ['libc6', 'musl', 'fish'].map((name) => `${name} ${version(name)}`);
  const rows = table.match(/.{1,92}/g).map((row) => `  '${row}',`);
  const text = [
    '// Written by scripts/character-widths.mjs.',
    '',
    `/** Widths of Unicode ${UNICODE}. */`,
    `export const UNICODE_VERSION = '${UNICODE}';`,
    '',
    '/**',
    ` * Runs of characters from U+0000 to U+${LAST.toString(16).toUpperCase()}: the length in base 36, then a class. A, B, C: 0, 1,`,
    ' * 2 columns, and programs disagree. D, E: 1, 2 columns by all of: Unicode 6 and 11 of xterm.js,',
    ` * Unicode ${UNICODE}, ${libraries.join(', ')}.`,
    ' */',
    'export const WIDTH_RUNS = [',
    ...rows,
    "].join('');",
    '',
  ].join('\n');
  writeFileSync(join(ROOT, TABLE), text);
  say(`${TABLE}: ${table.length} characters`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
