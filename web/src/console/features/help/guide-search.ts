import { type Block, type GuideDocument, type Line, plainText } from './guide-blocks.ts';

export const GUIDE_NAMES = ['user', 'operator', 'news'] as const;
export type GuideName = (typeof GUIDE_NAMES)[number];

/** The text below one heading of a guide. */
export interface Section {
  readonly guide: GuideName;
  readonly id: string;
  readonly title: string;
  /** Headings above, the outermost first. */
  readonly above: readonly string[];
  readonly text: string;
}

/** A section that a search found, with the beginning of the text around the first hit. */
export interface FoundSection {
  readonly section: Section;
  readonly excerpt: string;
}

const MOST = 12;
/** Characters before the first hit of an excerpt, and in total. */
const BEFORE = 40;
const LENGTH = 160;

function textOf(block: Block): string {
  const lines = (some: readonly Line[]) => some.map(plainText).join(' ');
  switch (block.kind) {
    case 'code':
      return block.text;
    case 'list':
      return lines(block.items);
    case 'table':
      return lines([...block.head, ...block.rows.flat()]);
    default:
      return plainText(block.line);
  }
}

/** Divides a guide at its headings. */
export function sectionsOf({ title, blocks }: GuideDocument, guide: GuideName): Section[] {
  const sections: Section[] = [];
  const above: string[] = [title];
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const name = plainText(block.line);
      above.length = block.level;
      sections.push({ guide, id: block.id, title: name, above: above.filter(Boolean), text: '' });
      above[block.level] = name;
      continue;
    }
    const last = sections.pop();
    if (last) sections.push({ ...last, text: `${last.text} ${textOf(block)}`.trim() });
  }
  return sections;
}

/** 0 if all words are in the heading, 1 if some are, 2 if all are in the text only. */
function rankOf({ title, text }: Section, words: readonly string[]): number | undefined {
  const [head, body] = [title.toLowerCase(), text.toLowerCase()];
  // *Back up* is found by “backup”.
  const joined = head.replaceAll(' ', '');
  const inHead = words.filter((word) => head.includes(word) || joined.includes(word)).length;
  if (inHead === words.length) return 0;
  if (!words.every((word) => joined.includes(word) || body.includes(word))) return undefined;
  return inHead > 0 ? 1 : 2;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const first = places.length > 0 ? Math.min(...places) : 0;
  const space = lower.lastIndexOf(' ', Math.max(0, first - BEFORE));
  const start = first <= BEFORE ? 0 : Math.max(space + 1, first - 2 * BEFORE);
  const end = start + LENGTH;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** Sections with every word of a query: matching headings first, then the order of the guides. */
export function findSections(sections: readonly Section[], query: string): FoundSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return sections
    .flatMap((section) => {
      const rank = rankOf(section, words);
      return rank === undefined ? [] : [{ section, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, MOST)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }));
}
