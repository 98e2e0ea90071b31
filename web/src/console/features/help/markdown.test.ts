import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGuide } from '../../../../guides.ts';
import { type Block, LICENSE_CHAPTER, type Line } from './guide-blocks.ts';
import { anchorOf, parseDividedGuide, parseGuide, parseLine } from './markdown.ts';

const DOCS = join(import.meta.dirname, '../../../../../docs');

const GUIDES = ['operator-guide.en', 'operator-guide.zh', 'user-guide.en', 'user-guide.zh'];

const read = (name: string) => readGuide(DOCS, name);

const linesOf = (block: Block): readonly Line[] => {
  if (block.kind === 'list') return block.items;
  if (block.kind === 'table') return [...block.head, ...block.rows.flat()];
  return block.kind === 'code' ? [] : [block.line];
};

const headingsOf = (block: Block) => (block.kind === 'heading' ? [block.id] : []);

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
      { kind: 'text', text: ' and ' },
      { kind: 'text', text: 'file' },
    ]);
  });

  it('creates the same anchors as other renderers of these files', () => {
    expect(anchorOf('How long things are kept')).toBe('how-long-things-are-kept');
    expect(anchorOf('数据保留多久')).toBe('数据保留多久');
  });

  it('joins the pages of a guide, with links between them', () => {
    const pages = new Map([
      ['guide/one.en.md', '# Page one\n\n## A\n\n[b](two.en.md#b)\n'],
      ['guide/two.en.md', '# Page two\n\n## B\n\n[one](one.en.md)\n'],
    ]);
    const { title, blocks } = parseDividedGuide('# Guide\n\n[A](guide/one.en.md#a)\n', pages);
    const link = (text: string, to: string): Block => ({
      kind: 'paragraph',
      line: [{ kind: 'link', text, to }],
    });
    const heading = (level: 1 | 2, text: string): Block => ({
      kind: 'heading',
      level,
      id: anchorOf(text),
      line: [{ kind: 'text', text }],
    });
    expect(title).toBe('Guide');
    expect(blocks).toEqual([
      link('A', 'a'),
      ...[heading(1, 'Page one'), heading(2, 'A'), link('b', 'b')],
      ...[heading(1, 'Page two'), heading(2, 'B'), link('one', 'page-one')],
    ]);
  });

  it.each(GUIDES)('parses all of %s, with each link to one of its headings', (name) => {
    const { title, blocks } = read(name);
    const ids = new Set(blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : [])));
    expect(title).not.toBe('');
    expect(ids.size).toBeGreaterThan(5);
    expect(new Set(blocks.flatMap(headingsOf)).size).toBe(blocks.flatMap(headingsOf).length);
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
