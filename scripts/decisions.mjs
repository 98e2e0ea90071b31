// The decisions in docs/adr have one form and one index, and links between documents resolve.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

const PARTS = ['Context', 'Decision', 'Alternatives', 'Consequences'];
const FOLDER = 'docs/adr/';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const numberOf = (name) => name.slice(0, 4);

/** Returns the faults of the decisions, of their index and of links between documents. */
export function findOutdatedDecisions() {
  const files = new Set(projectFiles(/./));
  const documents = new Map(projectFiles(/\.md$/).map((path) => [path, read(path)]));
  const pages = new Map(
    [...documents]
      .filter(([path]) => path.startsWith(FOLDER) && /^\d{4}-/.test(basename(path)))
      .map(([path, text]) => [basename(path), text]),
  );
  const sources = projectFiles(/\.(md|ts|tsx|mjs|sql|css|html|ya?ml|sh)$/).filter(
    (path) => !path.endsWith('.test.mjs'),
  );
  return [
    ...faultsOfPages(pages),
    ...faultsOfIndex(pages, documents.get(`${FOLDER}README.md`)),
    ...missingFiles(pages, files),
    ...missingDecisions(pages, new Map(sources.map((path) => [path, read(path)]))),
    ...brokenLinks(documents, files),
  ];
}

/** Pages that do not begin with their number, or whose parts are not the template's in order. */
export function faultsOfPages(pages) {
  return [...pages].flatMap(([name, text]) => {
    const title = text.startsWith(`# ${numberOf(name)} `)
      ? []
      : [`${FOLDER}${name} does not begin with "# ${numberOf(name)} "`];
    const parts = [...text.matchAll(/^\*\*(\w+)\.\*\*(?=\s)/gm)]
      .map(([, part]) => part)
      .filter((part) => PARTS.includes(part));
    return parts.join() === PARTS.join()
      ? title
      : [
          ...title,
          `${FOLDER}${name} has other parts than **${PARTS.join('.**, **')}.**, each once`,
        ];
  });
}

/** Pages and retired numbers that the index lacks, and rows of the index without their page. */
export function faultsOfIndex(pages, index) {
  const [current, retired = ''] = index.split(/^## Retired numbers$/m);
  const rows = current.split('\n').filter((line) => /^\| \[\d{4}\]/.test(line));
  const expected = [...pages]
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .map(([name, text]) => {
      const title = text.split('\n')[0].replace(/^# \d{4} /, '');
      return `| [${numberOf(name)}](${name}) | ${title} |`;
    });
  const numbers = [...pages.keys()].map(numberOf);
  const gone = [...retired.matchAll(/^\| (\d{4}) \| \S/gm)].map(([, number]) => number);
  const last = Number(gone.at(-1) ?? 0);
  const holes = Array.from({ length: last }, (_, at) => String(at + 1).padStart(4, '0')).filter(
    (number) => !numbers.includes(number) && !gone.includes(number),
  );
  return [
    ...expected.filter((row) => !rows.includes(row)).map((row) => `the index lacks: ${row}`),
    ...rows.filter((row) => !expected.includes(row)).map((row) => `the index has: ${row}`),
    ...holes.map((number) => `${number} has no page and is no retired number`),
    ...numbers
      .filter((number, at) => gone.includes(number) || numbers.indexOf(number) !== at)
      .map((number) => `${number} is used twice`),
  ].map((fault) => `${FOLDER}README.md: ${fault}`);
}

/** Source files that a decision names and no folder has. */
export function missingFiles(pages, files) {
  const ends = [...files].map((file) => `/${file}`);
  return [...pages].flatMap(([name, text]) =>
    [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|tsx|mjs))`/g)]
      .filter(([, path]) => !ends.some((file) => file.endsWith(`/${path}`)))
      .map(([, path]) => `${FOLDER}${name} names ${path}, which does not exist`),
  );
}

/** Texts that cite a decision by a number without a page. */
export function missingDecisions(pages, texts) {
  const numbers = new Set([...pages.keys()].map(numberOf));
  return [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/\b(?:adr\/|ADR )(\d{4})/g)]
      .filter(([, number]) => !numbers.has(number))
      .map(([cited]) => `${path} cites ${cited}, which has no page`),
  );
}

const withoutFences = (text) => text.replaceAll(/^```.*?^```/gms, '');
const withoutCode = (text) => withoutFences(text).replaceAll(/`[^`\n]*`/g, '');

/** The address of a heading in its page, as GitHub makes it. */
const addressOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

function addressesIn(text) {
  const seen = new Map();
  return new Set(
    [...withoutFences(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
      const address = addressOf(heading);
      const before = seen.get(address) ?? 0;
      seen.set(address, before + 1);
      return before === 0 ? address : `${address}-${before}`;
    }),
  );
}

/** Relative links of documents to files, folders or headings that do not exist. */
export function brokenLinks(documents, files) {
  const exists = (path) =>
    files.has(path) || [...files].some((file) => file.startsWith(`${path.replace(/\/$/, '')}/`));
  const headings = new Map();
  const hasHeading = (path, address) => {
    if (!headings.has(path)) headings.set(path, addressesIn(documents.get(path)));
    return headings.get(path).has(address);
  };
  return [...documents].flatMap(([from, text]) =>
    [...withoutCode(text).matchAll(/\]\((?![a-z]+:|\/)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, target, address]) => {
        const path = target === '' ? from : join(from, '..', target);
        if (!exists(path)) return true;
        return address !== undefined && documents.has(path)
          ? !hasHeading(path, decodeURIComponent(address))
          : false;
      })
      .map(([link]) => `${from} has a broken link ${link.slice(1)}`),
  );
}
