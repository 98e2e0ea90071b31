import { expect, it } from 'vitest';
import { circlesOf } from './circles.mjs';
import { isInnerImport, orderProblems, packageProblems, storageProblems } from './directions.mjs';
import { classesOf, missingClasses } from './style-classes.mjs';
import { writesIn } from './tables.mjs';
import { nameProblems } from './web-names.mjs';

it('finds files that reach each other, however long the way, and each of them once', () => {
  const graph = new Map([
    ['a', ['b', 'outside']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', ['e']],
    ['e', []],
    ['self', ['self']],
  ]);
  expect(circlesOf(graph)).toEqual([['a', 'b', 'c'], ['self']]);
});

it('refuses an import of a feature that comes later, or of one that is not listed', () => {
  const file = (feature) => `server/src/features/${feature}/service.ts`;
  const order = ['audits', 'settings', 'identity'];
  expect(orderProblems(order, file('identity'), file('audits'))).toEqual([]);
  expect(orderProblems(order, file('identity'), file('identity'))).toEqual([]);
  expect(orderProblems(order, file('audits'), file('identity'))).toHaveLength(1);
  expect(orderProblems(order, file('audits'), file('forgotten'))).toHaveLength(1);
});

it('refuses an import past the index.ts of a feature', () => {
  const file = (path) => `server/src/features/${path}`;
  const [perms, assets] = [file('perms/routes.ts'), file('assets/tree.ts')];
  expect(isInnerImport(perms, assets)).toBe(true);
  expect(isInnerImport('server/src/gateway/adapters/access.ts', assets)).toBe(true);
  expect(isInnerImport('demo/demo.ts', assets)).toBe(true);
  expect(isInnerImport(perms, file('assets/index.ts'))).toBe(false);
  expect(isInnerImport(perms, file('perms/store.ts'))).toBe(false);
  const users = 'web/src/console/features/users/UserList.tsx';
  expect(isInnerImport(users, 'web/src/console/features/mfa/words.ts')).toBe(true);
  expect(isInnerImport('web/src/console/layout/Shell.tsx', users)).toBe(true);
  expect(isInnerImport(users, 'web/src/console/features/mfa/index.ts')).toBe(false);
  expect(isInnerImport(users, 'web/src/console/features/users/words.ts')).toBe(false);
});

it('refuses an import of a file inside a package, also in tests', () => {
  const inner = 'packages/ssh/src/keys.ts';
  const test = 'server/src/gateway/hostile.test.ts';
  expect(packageProblems(test, '../../../packages/ssh/src/keys.ts', inner)).toHaveLength(1);
  expect(packageProblems(test, '@sallyport/ssh', 'packages/ssh/index.ts')).toEqual([]);
  expect(packageProblems('packages/ssh/src/texts.ts', './keys.ts', inner)).toEqual([]);
});

it('refuses an import of the storage that would tell a path', () => {
  const storage = (file) => `server/src/platform/storage/${file}.ts`;
  const feature = 'server/src/features/sessions/routes.ts';
  expect(storageProblems(feature, storage('recordings'))).toEqual([]);
  expect(storageProblems(feature, storage('local-storage'))).toHaveLength(1);
  expect(storageProblems('demo/demo.ts', storage('local-recordings'))).toHaveLength(1);
  expect(storageProblems('server/src/start/open-core.ts', storage('local-recordings'))).toEqual([]);
  expect(storageProblems(storage('local-storage'), storage('keys'))).toEqual([]);
});

it('reads which tables a statement writes', () => {
  const text = [
    'sql`insert into first (id) values (1) on conflict do update set id = 2`',
    'sql`',
    '  update second s set x = 1 from third`',
    'sql`delete from fourth where id in (select id from fifth for update skip locked)`',
    `sql\`delete from \${sql.table(name)}\``,
    '// an update of a row, deleted or not',
  ].join('\n');
  expect(writesIn(text)).toEqual([
    { table: 'first', line: 1 },
    { table: 'second', line: 3 },
    { table: 'fourth', line: 4 },
    { table: '${', line: 5 },
  ]);
});

it('refuses a file of the web whose name says something else than it exports', () => {
  const component = 'export function Pager() {}';
  const hook = 'export function usePager() {}';
  expect(nameProblems('web/src/Pager.tsx', component)).toEqual([]);
  expect(nameProblems('web/src/usePager.ts', hook)).toEqual([]);
  expect(nameProblems('web/src/pager.tsx', `${component}\n${hook}`)).toEqual([]);
  expect(nameProblems('web/src/pager.tsx', component)).toHaveLength(1);
  expect(nameProblems('web/src/use-pager.ts', hook)).toHaveLength(1);
  expect(nameProblems('web/src/Pager.tsx', hook)).toHaveLength(1);
  expect(nameProblems('web/src/pager.module.css', '')).toHaveLength(1);
  expect(nameProblems('web/src/pager.ts', 'export const texts = catalogue({});')).toHaveLength(1);
});

it('finds classes that a style module does not have', () => {
  const sheet = '/* .old */\n.bar,\n.bar:hover > .inner-part { top: 0.5px; }';
  expect([...classesOf(sheet)]).toEqual(['bar', 'inner-part']);
  const content =
    "import frame from '../Window.module.css';\n<b className={frame.bar}><i className={frame.old} /><i className={frame.old} /></b>";
  expect(missingClasses(content, (path) => (path === '../Window.module.css' ? sheet : ''))).toEqual(
    ['frame.old'],
  );
});
