// npm run new -- feature NAME writes the skeleton of a feature with a route, and
// npm run new -- resource NAME that of a resource with a table. Both have a page and tests, and are
// added to the lists.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, NODE, ROOT, run, say } from './lib.mjs';
import { camelOf, pascalOf, registered, titleOf } from './new-names.mjs';
import { filesOfResource, listsWithResource, nextNumber, resourceNames } from './new-resource.mjs';

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

/** Returns the lists of the project with the feature, by path. `read` returns their texts. */
export function listsWith(name, read) {
  const contract = 'contract/src/index.ts';
  return {
    [contract]: `${read(contract).trimEnd()}\nexport * from './api/${name}.ts';\n`,
    ...registered(name, read),
  };
}

/** Returns the reason why a feature or resource cannot have a name; undefined if it can. */
export function nameProblem(name = '', kind = 'feature') {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    return `Name it in lower case with hyphens: npm run new -- ${EXAMPLES[kind]}`;
  const folder = kind === 'resource' ? resourceNames(name).folder : name;
  const taken = [`server/src/features/${folder}`, `web/src/console/features/${folder}`];
  const there = taken.find((path) => existsSync(join(ROOT, path)));
  return there && `${there} exists. Choose another name.`;
}

const EXAMPLES = { feature: 'feature shift-plans', resource: 'resource shift-plan' };
const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** Returns the files of a skeleton, and the folder of the feature. */
function skeletonOf(kind, name) {
  if (kind === 'feature') return [{ ...filesOfFeature(name), ...listsWith(name, read) }, name];
  const number = nextNumber(readdirSync(join(ROOT, 'server/src/migrations')));
  const files = { ...filesOfResource(name, number), ...listsWithResource(name, read) };
  return [files, resourceNames(name).folder];
}

function main([kind, name, ...more]) {
  if (!Object.hasOwn(EXAMPLES, kind ?? '') || more.length > 0)
    fail(`Say what to write: npm run new -- ${EXAMPLES.feature}, or ${EXAMPLES.resource}`);
  const problem = nameProblem(name, kind);
  if (problem) fail(problem);
  const [files, folder] = skeletonOf(kind, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
  const paths = Object.keys(files);
  const code = paths.filter((path) => !path.endsWith('.sql'));
  run(NODE, [join(ROOT, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--write', ...code]);
  const tables = kind === 'resource' ? ', node scripts/database-page.mjs that of the tables' : '';
  say(`\nWrote:\n${paths.map((path) => `  ${path}`).join('\n')}

Next: node scripts/authorization.mjs writes the table of access${tables}, then
  npm test -- server/src/features/${folder} web/src/console/features/${folder}
CONTRIBUTING.md goes on from there.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
