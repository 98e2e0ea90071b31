import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Block, Line } from './guide-blocks.ts';
import { LICENSE_CHAPTER } from './license-chapter.ts';
import { anchorOf, parseGuide, parseLine } from './markdown.ts';

const DOCS = join(import.meta.dirname, '../../../../../docs');
const GUIDES = ['operator-guide.en', 'operator-guide.zh', 'user-guide.en', 'user-guide.zh'];
const read = (name: string) => parseGuide(readFileSync(join(DOCS, `${name}.md`), 'utf8'));

const linesOf = (block: Block): readonly Line[] => {
  if (block.kind === 'list') return block.items;
  if (block.kind === 'table') return [...block.head, ...block.rows.flat()];
  return block.kind === 'code' ? [] : [block.line];
};

describe('a guide', () => {
  it('parses headings, paragraphs, lists, tables and code', () => {
    const source = [
      '# Title',
      '',
      'English | [中文](x-guide.zh.md)',
      '',
      '![A page](images/page.png)',
      '',
      '## One',
      'a line',
      'and another',
      '- first',
      '  goes on',
      '- second',
      '',
      '```sh',
      '# no heading',
      '```',
      '| a | b |',
      '| --- | --- |',
      '| 1 | `x\\|y` |',
    ];
    expect(parseGuide(source.join('\n'))).toEqual({
      title: 'Title',
      blocks: [
        { kind: 'heading', level: 2, id: 'one', line: [{ kind: 'text', text: 'One' }] },
        { kind: 'paragraph', line: [{ kind: 'text', text: 'a line and another' }] },
        {
          kind: 'list',
          ordered: false,
          items: [[{ kind: 'text', text: 'first goes on' }], [{ kind: 'text', text: 'second' }]],
        },
        { kind: 'code', text: '# no heading' },
        {
          kind: 'table',
          head: [[{ kind: 'text', text: 'a' }], [{ kind: 'text', text: 'b' }]],
          rows: [[[{ kind: 'text', text: '1' }], [{ kind: 'code', text: 'x|y' }]]],
        },
      ],
    });
  });

  it('keeps links to headings of the guide, and no other links', () => {
    expect(
      parseLine(
        'see [there](#how-it-is) and [that](javascript:alert(1)) and [file](../CHANGELOG.md)',
      ),
    ).toEqual([
      { kind: 'text', text: 'see ' },
      { kind: 'link', text: 'there', to: 'how-it-is' },
      { kind: 'text', text: ' and ' },
      { kind: 'text', text: 'that' },
      { kind: 'text', text: ') and ' },
      { kind: 'text', text: 'file' },
    ]);
  });

  it('creates the same anchors as other renderers of these files', () => {
    expect(anchorOf('How long things are kept')).toBe('how-long-things-are-kept');
    expect(anchorOf('数据保留多久')).toBe('数据保留多久');
  });

  it.each(GUIDES)('parses all of %s, with each link to one of its headings', (name) => {
    const { title, blocks } = read(name);
    const ids = new Set(blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : [])));
    expect(title).not.toBe('');
    expect(ids.size).toBeGreaterThan(5);
    const links = blocks
      .flatMap(linesOf)
      .flatMap((line) => line.flatMap((one) => (one.kind === 'link' ? [one.to] : [])));
    expect(links.filter((to) => !ids.has(to))).toEqual([]);
    // The text contains no leftover notation.
    const words = blocks
      .flatMap(linesOf)
      .flatMap((line) => line.filter(({ kind }) => kind === 'text').map(({ text }) => text));
    expect(words.filter((text) => /\]\(|`|\*\*/.test(text))).toEqual([]);
  });

  it.each(['en', 'zh'] as const)(
    'finds in the %s operator guide the chapter that the license page links to',
    (language) => {
      const ids = read(`operator-guide.${language}`).blocks.flatMap((block) =>
        block.kind === 'heading' ? [block.id] : [],
      );
      expect(ids).toContain(LICENSE_CHAPTER[language]);
    },
  );

  it.each(['operator-guide', 'user-guide'])(
    'finds the same chapters in both languages of the %s',
    (name) => {
      const shape = (language: string) =>
        read(`${name}.${language}`).blocks.flatMap((block) =>
          block.kind === 'heading' ? [block.level] : [],
        );
      expect(shape('zh')).toEqual(shape('en'));
    },
  );
});
