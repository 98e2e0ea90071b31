import { describe, expect, it } from 'vitest';
import { sizeText } from '../../kit/format/size.ts';
import {
  type FileItem,
  filterItems,
  freeName,
  modeText,
  parentOf,
  pathIn,
  shownName,
  sortItems,
  stepsTo,
  viewerOf,
} from './entries.ts';

const item = (name: string, changes: Partial<FileItem> = {}): FileItem => ({
  name,
  kind: 'file',
  size: 1,
  mode: 0o644,
  owner: 'a',
  group: 'a',
  modifiedAt: 1,
  ...changes,
});

describe('paths', () => {
  it('returns the path of a child, the parent folder, and every folder of a path', () => {
    expect([
      pathIn('/', 'a'),
      pathIn('/a', 'b'),
      parentOf('/a/b'),
      parentOf('/a'),
      parentOf('/'),
    ]).toEqual(['/a', '/a/b', '/a', '/', '/']);
    expect(stepsTo('/a/b')).toEqual([
      { name: 'a', path: '/a' },
      { name: 'b', path: '/a/b' },
    ]);
  });
});

describe('a list', () => {
  const items = [
    item('10.log'),
    item('2.log', { size: 5 }),
    item('.hidden'),
    item('zoo', { kind: 'folder' }),
  ];
  const names = (list: readonly FileItem[]) => list.map(({ name }) => name);

  it('sorts folders first, and names with numbers in numeric order', () => {
    expect(names(sortItems(items, { key: 'name', descending: false }))).toEqual([
      'zoo',
      '.hidden',
      '2.log',
      '10.log',
    ]);
    expect(names(sortItems(items, { key: 'size', descending: true }))).toEqual([
      'zoo',
      '2.log',
      '.hidden',
      '10.log',
    ]);
  });

  it('filters by name ignoring case, and includes hidden files only on request', () => {
    expect(names(filterItems(items, ' LOG ', false))).toEqual(['10.log', '2.log']);
    expect(names(filterItems(items, '', false))).not.toContain('.hidden');
    expect(names(filterItems(items, 'hid', true))).toEqual(['.hidden']);
  });
});

describe('a file', () => {
  it('formats permission bits as ls does', () => {
    expect([
      modeText('folder', 0o1777),
      modeText('file', 0o4755),
      modeText('file', 0o2644),
      modeText('link', 0o777),
    ]).toEqual(['drwxrwxrwt', '-rwsr-xr-x', '-rw-r-Sr--', 'lrwxrwxrwx']);
  });

  it('formats sizes, replaces unsafe characters of names, finds free names, and selects the viewer', () => {
    expect([sizeText(0), sizeText(1536), sizeText(200 * 1024 * 1024)]).toEqual([
      '0 B',
      '1.5 KiB',
      '200 MiB',
    ]);
    expect(shownName('a\nb\u202ec\udce9')).toBe('a⏎b�c�');
    expect(freeName('a.tar.gz', (name) => name === 'a.tar (2).gz')).toBe('a.tar (3).gz');
    expect(freeName('.bashrc', () => false)).toBe('.bashrc (2)');
    expect([viewerOf('a.PNG'), viewerOf('a.pdf'), viewerOf('Makefile'), viewerOf('a.zip')]).toEqual(
      ['image', 'pdf', 'text', undefined],
    );
  });
});
