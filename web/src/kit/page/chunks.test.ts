import type { Rolldown } from 'vite';
import { expect, it } from 'vitest';
import { namesOf } from '../../../chunks.ts';

const LIST = new URL('../../console/features/assets/list/AssetList.tsx', import.meta.url).pathname;

interface FileFacts {
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly moduleIds?: readonly string[];
  readonly isEntry?: boolean;
}

/** Files of a build: each has a module of its name. */
const output = (files: Readonly<Record<string, FileFacts>>) =>
  Object.entries(files).map(
    ([name, facts]) =>
      ({
        name,
        fileName: name,
        imports: [],
        dynamicImports: [],
        moduleIds: [name],
        isEntry: false,
        ...facts,
      }) as Partial<Rolldown.OutputChunk> as Rolldown.OutputChunk,
  );

const SITE = {
  ui: { isEntry: true, imports: ['react', 'router', 'menu'], dynamicImports: ['assets', 'users'] },
  luna: { isEntry: true, imports: ['react', 'mark', 'watermark'], dynamicImports: ['files'] },
  signin: { isEntry: true, imports: ['react'] },
  rdp: { isEntry: true, imports: ['mark', 'keys'] },
  assets: { moduleIds: [LIST, 'assets'], imports: ['table', 'row', 'menu'] },
  users: { imports: ['table', 'avatar'] },
  roles: { imports: ['avatar'] },
  files: { imports: ['table', 'menu', 'keys'] },
  table: { imports: ['react', 'cell'] },
  cell: {},
  row: { imports: ['cell'] },
  avatar: {},
  react: {},
  router: { imports: ['react'] },
  menu: {},
  mark: {},
  watermark: { imports: ['react', 'mark'] },
  keys: {},
};

it('puts modules of the same pages into one file', () => {
  const names = namesOf(output(SITE));
  expect(names.get('react')).toBe('start-ui-luna-signin');
  expect(names.get('router')).toBe('start-ui');
  // The terminal needs the menu later, and shall not load the router with it.
  expect(names.get('menu')).toBe('start-ui-luna2');
  expect([names.get('table'), names.get('cell')]).toEqual(['list-ui2-luna2', 'list-ui2-luna2']);
  expect(names.get('row')).toBe('list-ui2');
});

it('loads no code of other pages with the frame of a desktop', () => {
  const names = namesOf(output(SITE));
  expect(names.get('mark')).toBe('start-luna-rdp');
  expect(names.get('watermark')).toBe('start-luna');
  expect(names.get('keys')).toBe('start-rdp-luna2');
});

it.each(['ui', 'luna', 'signin', 'rdp', 'assets', LIST, 'users', 'files', 'avatar'])(
  'leaves %s to the bundler',
  (id) => expect(namesOf(output(SITE)).get(id)).toBeUndefined(),
);

it('makes no two files import each other', () => {
  const files = output(SITE);
  const names = namesOf(files);
  const nameOf = (file: string) => names.get(file) ?? file;
  const imports = new Map<string, Set<string>>();
  for (const { fileName, imports: imported } of files) {
    const targets = imports.get(nameOf(fileName)) ?? new Set();
    for (const one of imported) if (nameOf(one) !== nameOf(fileName)) targets.add(nameOf(one));
    imports.set(nameOf(fileName), targets);
  }
  const below = (name: string, above: readonly string[]): void => {
    expect(above).not.toContain(name);
    for (const one of imports.get(name) ?? []) below(one, [...above, name]);
  };
  for (const name of imports.keys()) below(name, []);
});
