import { Lexer, lexer, type Token, type Tokens } from 'marked';
import {
  type Block,
  type GuideDocument,
  type Inline,
  type Line,
  plainText,
} from './guide-blocks.ts';

/** The link to the same guide in the other language. */
const OTHER_LANGUAGE = /\]\([\w-]+\.(en|zh)\.md\)/;

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
  return Lexer.lexInline(text).flatMap(inlineOf);
}

function inlineOf(token: Token): Inline[] {
  switch (token.type) {
    case 'codespan':
      return [{ kind: 'code', text: token.text }];
    case 'strong':
      return [{ kind: 'strong', text: wordsOf(token) }];
    case 'em':
      return [{ kind: 'emphasis', text: wordsOf(token) }];
    case 'link':
      return token.href.startsWith('#')
        ? [{ kind: 'link', text: wordsOf(token), to: token.href.slice(1) }]
        : [{ kind: 'text', text: wordsOf(token) }];
    case 'image':
      return [];
    default:
      return [{ kind: 'text', text: token.raw }];
  }
}

/** The text of a token with others inside, without formatting. */
const wordsOf = (token: Token): string =>
  plainText(('tokens' in token ? (token.tokens ?? []) : []).flatMap(inlineOf));

/** Chinese wraps between any two characters; join lines with a space only between other words. */
function joined(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .reduce((before, line) =>
      /[\p{Script=Han}，。；：、）」”]$/u.test(before) || /^[\p{Script=Han}（「“]/u.test(line)
        ? before + line
        : `${before} ${line}`,
    );
}

/**
 * Parses the part of Markdown that our guides use, at build time: headings, paragraphs, flat lists,
 * tables, fenced code. Leaves out pictures, which are not served, and the link to the other
 * language: the page has a language menu.
 */
export function parseGuide(source: string): GuideDocument {
  const tokens = lexer(source);
  const title = tokens.find((token) => token.type === 'heading' && token.depth === 1);
  return {
    title: title ? wordsOf(title) : '',
    blocks: tokens.filter((token) => token !== title).flatMap(blockOf),
  };
}

function blockOf(token: Token): Block[] {
  switch (token.type) {
    case 'heading': {
      const line = parseLine(token.text);
      const level = token.depth === 2 ? 2 : 3;
      return [{ kind: 'heading', level, id: anchorOf(plainText(line)), line }];
    }
    case 'code':
      return [{ kind: 'code', text: token.text }];
    case 'table': {
      const cells = (row: readonly Tokens.TableCell[]) => row.map(({ text }) => parseLine(text));
      const { header, rows } = token as Tokens.Table;
      return [{ kind: 'table', head: cells(header), rows: rows.map(cells) }];
    }
    case 'list': {
      const { ordered, items } = token as Tokens.List;
      return [{ kind: 'list', ordered, items: items.map(({ text }) => parseLine(joined(text))) }];
    }
    case 'paragraph': {
      const line = parseLine(joined(token.text));
      const isLanguageMenu = OTHER_LANGUAGE.test(token.text) && token.text.includes(' | ');
      return isLanguageMenu || line.length === 0 ? [] : [{ kind: 'paragraph', line }];
    }
    default:
      return [];
  }
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
