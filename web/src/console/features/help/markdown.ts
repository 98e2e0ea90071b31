import {
  type Block,
  type GuideDocument,
  type Inline,
  type Line,
  plainText,
} from './guide-blocks.ts';

const INLINE =
  /`([^`]+)`|\*\*(.+?)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(((?:[^()\s]|\([^()\s]*\))+)\)/g;
const ITEM = /^(?:[-*]|(\d+)\.) (.*)$/;
/** A line that contains only a picture. */
const PICTURE = /^!\[[^\]]*\]\([^)\s]+\)$/;
const BEGINS = /^(#{1,3} |```|\||(?:[-*]|\d+\.) )/;

/** The anchor of a heading, as other renderers of these files create it. */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/**
 * Parses code, strong and emphasized text, and links. Only links to headings of the same guide
 * remain links: other files are not served.
 */
export function parseLine(text: string): Line {
  const line: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, emphasis, words, to] = match;
    if (match.index > at) line.push({ kind: 'text', text: text.slice(at, match.index) });
    at = match.index + whole.length;
    if (code !== undefined) line.push({ kind: 'code', text: code });
    else if (strong !== undefined) line.push({ kind: 'strong', text: strong.replaceAll('`', '') });
    else if (emphasis !== undefined) line.push({ kind: 'emphasis', text: emphasis });
    else if (words !== undefined && to?.startsWith('#'))
      line.push({ kind: 'link', text: words, to: to.slice(1) });
    else if (words !== undefined) line.push({ kind: 'text', text: words });
  }
  if (at < text.length) line.push({ kind: 'text', text: text.slice(at) });
  return line;
}

/** Chinese wraps between any two characters; join lines with a space only between other words. */
function join(lines: readonly string[]): string {
  return lines.reduce((text, line) =>
    /[\p{Script=Han}，。；：、）」”]$/u.test(text) || /^[\p{Script=Han}（「“]/u.test(line)
      ? text + line
      : `${text} ${line}`,
  );
}

function cellsOf(row: string): Line[] {
  return row
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => parseLine(cell.trim().replaceAll('\\|', '|')));
}

/**
 * Parses the part of Markdown that our guides use, at build time: headings, paragraphs, flat lists,
 * tables, fenced code. Leaves out pictures, which are not served, and the link to the other
 * language: the page has a language menu.
 */
export function parseGuide(source: string): GuideDocument {
  const lines = source.split(/\r?\n/);
  const blocks: Block[] = [];
  let title = '';
  let at = 0;
  const take = (fits: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    for (let line = lines[at]; line !== undefined && fits(line); line = lines[++at])
      taken.push(line);
    return taken;
  };
  const following = (line: string) => line.trim() !== '' && !BEGINS.test(line);

  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = /^(#{1,3}) (.*)$/.exec(line);
    if (line.trim() === '' || PICTURE.test(line)) at += 1;
    else if (heading) {
      at += 1;
      const words = parseLine(heading[2] ?? '');
      if (heading[1] === '#') title = plainText(words);
      else
        blocks.push({
          kind: 'heading',
          level: heading[1] === '##' ? 2 : 3,
          id: anchorOf(plainText(words)),
          line: words,
        });
    } else if (line.startsWith('```')) {
      at += 1;
      blocks.push({ kind: 'code', text: take((one) => !one.startsWith('```')).join('\n') });
      at += 1;
    } else if (line.startsWith('|')) {
      const [head = '', , ...rows] = take((one) => one.startsWith('|'));
      blocks.push({ kind: 'table', head: cellsOf(head), rows: rows.map(cellsOf) });
    } else if (ITEM.test(line)) {
      const ordered = /^\d/.test(line);
      const items: Line[] = [];
      for (let item = ITEM.exec(lines[at] ?? ''); item; item = ITEM.exec(lines[at] ?? '')) {
        at += 1;
        items.push(parseLine(join([item[2] ?? '', ...take(following).map((one) => one.trim())])));
      }
      blocks.push({ kind: 'list', ordered, items });
    } else {
      at += 1;
      const words = join([line, ...take(following)].map((one) => one.trim()));
      if (!/\]\([\w-]+\.(en|zh)\.md\)/.test(words) || !words.includes(' | '))
        blocks.push({ kind: 'paragraph', line: parseLine(words) });
    }
  }
  return { title, blocks };
}

/**
 * Joins a guide that is divided into pages: its own text, then each page below a heading of level
 * 1. `pages` maps links to pages, as the guide and the pages write them, to their sources. Links
 * between the pages become links to headings.
 */
export function parseDividedGuide(
  source: string,
  pages: ReadonlyMap<string, string>,
): GuideDocument {
  const titles = new Map([...pages].map(([path, page]) => [path, parseGuide(page).title]));
  const local = (text: string) =>
    [...titles].reduce((result, [path, title]) => {
      const file = path.replace(/^.*\//, '');
      return [path, file].reduce(
        (each, link) =>
          each.replaceAll(`](${link}#`, '](#').replaceAll(`](${link})`, `](#${anchorOf(title)})`),
        result,
      );
    }, text);
  const own = parseGuide(local(source));
  const parts = [...pages.values()].map((page) => parseGuide(local(page)));
  return {
    title: own.title,
    blocks: [
      ...own.blocks,
      ...parts.flatMap(({ title, blocks }): Block[] => [
        { kind: 'heading', level: 1, id: anchorOf(title), line: parseLine(title) },
        ...blocks,
      ]),
    ],
  };
}
