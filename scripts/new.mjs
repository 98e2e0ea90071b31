// npm run new -- feature NAME: writes the skeleton of a feature with a route, a page and tests, and
// adds it to the lists of modules and screens.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, NODE, ROOT, run, say } from './lib.mjs';

const pascalOf = (name) =>
  name.replace(/(?:^|-)([a-z0-9])/g, (_all, letter) => letter.toUpperCase());
const camelOf = (name) => {
  const pascal = pascalOf(name);
  return pascal[0].toLowerCase() + pascal.slice(1);
};
const titleOf = (name) => {
  const words = name.replaceAll('-', ' ');
  return words[0].toUpperCase() + words.slice(1);
};

/** Returns the files of a feature by their paths from the root. */
export function filesOfFeature(name) {
  const [camel, Pascal, title] = [camelOf(name), pascalOf(name), titleOf(name)];
  const server = `server/src/features/${name}`;
  const web = `web/src/console/features/${name}`;
  return {
    [`contract/src/api/${name}.ts`]: `/** GET common/${name}/. */
export interface ${Pascal} {
  readonly date: string;
}
`,
    [`${server}/index.ts`]: `import { defineModule } from '../../module.ts';
import { mount${Pascal} } from './routes.ts';

/** ${title}: say in one sentence what users get. */
export const ${camel} = defineModule({
  name: '${name}',
  tables: [],
  create() {
    return { service: {}, routes: ({ http }) => mount${Pascal}(http) };
  },
});
`,
    [`${server}/routes.ts`]: `import { formatDatetime, Permission, type ${Pascal} } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';

export function mount${Pascal}(app: FastifyInstance): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/common/${name}/',
    access: Permission.ADMIN,
    summary: 'Read the date of ${title.toLowerCase()}.',
    answer: samples<${Pascal}>({ date: '2026-11-20 04:30:07 +0800' }),
    handler: ({ zone }): ${Pascal} => ({ date: formatDatetime(new Date(), zone) }),
  });
}
`,
    [`${server}/routes.test.ts`]: `import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const PATH = 'common/${name}/';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

it('answers administrators with a date', async () => {
  const { status, body } = await (await bearer(test)).get(PATH);
  expect([status, body]).toEqual([200, { date: expect.stringMatching(/^\\d{4}-/) }]);
});

it('asks visitors to sign in', async () => {
  expect((await test.visitor.get(PATH)).status).toBe(401);
});
`,
    [`${web}/index.ts`]: `export { ${camel}Screens } from './screens.ts';
`,
    [`${web}/screens.ts`]: `import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

export const ${camel}Screens: readonly Screen[] = [
  {
    name: '${Pascal}',
    path: '/${name}',
    title: { zh: '${title}', en: '${title}' },
    permissions: Permission.ADMIN,
    menu: { group: 'system' },
    component: page(() => import('./${Pascal}Page.tsx'), '${Pascal}Page'),
  },
];
`,
    [`${web}/words.ts`]: `import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  date: { zh: '日期：{date}', en: 'Date: {date}' },
});
`,
    [`${web}/${Pascal}Page.tsx`]: `import { Skeleton, Text } from '@mantine/core';
import type { ${Pascal} } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { words } from './words.ts';

export function ${Pascal}Page() {
  const query = useQuery({
    queryKey: ['${name}'],
    queryFn: ({ signal }) => api.get<${Pascal}>('common/${name}/', { signal }),
  });
  return (
    <>
      <PageHeader />
      {query.error && <LoadFailed error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={64} />}
      {query.data && <Text>{t(words.date, { date: query.data.date })}</Text>}
    </>
  );
}
`,
    [`${web}/${Pascal}Page.dom.test.tsx`]: `import { Role } from '@sallyport/contract';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { ${Pascal}Page } from './${Pascal}Page.tsx';
import { words } from './words.ts';

it('shows the date', async () => {
  const date = '2026-11-20 04:30:07 +0800';
  new MemoryServer().on('GET', 'common/${name}/', () => ({ body: { date } }));
  await renderPage(<${Pascal}Page />, { role: Role.SuperAdmin });
  expect(await screen.findByText(t(words.date, { date }))).toBeTruthy();
});
`,
  };
}

/** Adds an import next to those of `folder`, and an item before the last of a list. */
function addTo(text, line, item, list) {
  const imports = [...text.matchAll(/^import .*;$/gm)];
  const last = imports.at(-1);
  if (!last || !text.includes(list)) throw new Error(`the list ${list} was not found`);
  const end = last.index + last[0].length;
  const withImport = `${text.slice(0, end)}\n${line}${text.slice(end)}`;
  const start = withImport.indexOf(list);
  const close = withImport.indexOf('\n];', start);
  return `${withImport.slice(0, close)}\n  ${item},${withImport.slice(close)}`;
}

/** Returns the lists of the project with the feature, by path. `read` returns their texts. */
export function listsWith(name, read) {
  const camel = camelOf(name);
  const modules = 'server/src/modules.ts';
  const screens = 'web/src/console/screens/index.ts';
  const contract = 'contract/src/index.ts';
  return {
    [contract]: `${read(contract).trimEnd()}\nexport * from './api/${name}.ts';\n`,
    [modules]: addTo(
      read(modules),
      `import { ${camel} } from './features/${name}/index.ts';`,
      camel,
      'export const MODULES',
    ),
    [screens]: addTo(
      read(screens),
      `import { ${camel}Screens } from '../features/${name}/index.ts';`,
      `...${camel}Screens`,
      'export const SCREENS',
    ),
  };
}

/** Returns the reason why a feature cannot have a name; undefined if it can. */
export function nameProblem(name = '') {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    return 'Name the feature in lower case with hyphens: npm run new -- feature shift-plans';
  const taken = [`server/src/features/${name}`, `web/src/console/features/${name}`];
  const there = taken.find((path) => existsSync(join(ROOT, path)));
  return there && `${there} exists. Choose another name.`;
}

function main([kind, name, ...more]) {
  if (kind !== 'feature' || more.length > 0)
    fail('Say what to write: npm run new -- feature shift-plans');
  const problem = nameProblem(name);
  if (problem) fail(problem);
  const lists = listsWith(name, (path) => readFileSync(join(ROOT, path), 'utf8'));
  const files = { ...filesOfFeature(name), ...lists };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
  const paths = Object.keys(files);
  run(NODE, [join(ROOT, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--write', ...paths]);
  say(`\nWrote:\n${paths.map((path) => `  ${path}`).join('\n')}

Next: node scripts/authorization.mjs writes the table of access, then
  npm test -- server/src/features/${name} web/src/console/features/${name}
CONTRIBUTING.md, "Adding a feature", goes on from there.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
