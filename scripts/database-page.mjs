// node scripts/database-page.mjs: writes docs/database.md from the migrations. The check compares
// both.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, say } from './lib.mjs';

const FOLDER = join(ROOT, 'server/src/migrations');
const PAGE = 'docs/database.md';
const HEAD = `# The database

Generated from \`server/src/migrations\`; the comments there say more. The first files are the baseline, one for each
area. The names of indexes and triggers are followed by their reason where it is not obvious.
`;
const STATEMENT =
  /((?:^--[^\n]*\n)*)^create (?:unlogged )?(?:unique )?(?:constraint )?(table|index|trigger) (\w+)([^;]*);/gm;

const reasonOf = (comment) => comment.replaceAll(/^-- ?/gm, '').replaceAll('\n', ' ').trim();
const describe = ({ name, reason }) => (reason ? `\`${name}\`: ${reason}` : `\`${name}\``);

/** Tables of one file with their indexes and triggers. */
function tablesOf(sql) {
  const tables = new Map();
  for (const [, comment, kind, name, rest] of sql.matchAll(STATEMENT)) {
    const entry = { name, reason: reasonOf(comment), index: [], trigger: [] };
    if (kind === 'table') tables.set(name, entry);
    else {
      const [, table] = /\son (?:only )?(\w+)/.exec(rest) ?? [];
      if (!tables.has(table))
        tables.set(table, { name: table, reason: '', index: [], trigger: [] });
      tables.get(table)[kind].push(entry);
    }
  }
  return [...tables.values()];
}

function pageText() {
  const sections = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const rows = tablesOf(readFileSync(join(FOLDER, file), 'utf8')).map(
        ({ name, reason, index, trigger }) =>
          `| \`${name}\` | ${reason} | ${index.map(describe).join('<br>')} | ${trigger.map(describe).join('<br>')} |`,
      );
      const head = '| Table | Content | Indexes | Triggers |\n| --- | --- | --- | --- |';
      return rows.length === 0 ? '' : `\n## ${file.slice(5, -4)}\n\n${head}\n${rows.join('\n')}\n`;
    });
  return HEAD + sections.join('');
}

/** Returns a line if the page differs from the migrations. */
export function findOutdatedDatabasePage() {
  return readFileSync(join(ROOT, PAGE), 'utf8') === pageText()
    ? []
    : [`${PAGE} is out of date: node scripts/database-page.mjs`];
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(ROOT, PAGE), pageText());
  say(`${PAGE} is up to date.`);
}
