// The skeleton of a resource: declaration, table, module, pages and a test, each in its folder.
import { addTo, camelOf, pascalOf, registered, titleOf } from './new-names.mjs';

const pluralOf = (name) =>
  /[^aeiou]y$/.test(name)
    ? `${name.slice(0, -1)}ies`
    : /(?:s|x|ch|sh)$/.test(name)
      ? `${name}es`
      : `${name}s`;

/** Returns the number after those of the migrations `names`. */
export const nextNumber = (names) =>
  Math.max(...names.map((name) => Number(/^(\d+)_/.exec(name)?.[1] ?? 0))) + 1;

/** The names of a resource in code, tables and addresses. */
export function resourceNames(name) {
  const folder = pluralOf(name);
  return {
    folder,
    camel: camelOf(name),
    Pascal: pascalOf(name),
    resource: name.replaceAll('-', '_'),
    title: titleOf(name),
    path: `common/${folder}`,
  };
}

function declaration({ camel, resource, title, path }) {
  return `import { createdAt, createdBy, id, organizationFields, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** ${title}: say in one sentence what users keep here. */
export const ${camel} = defineResource({
  name: '${resource}',
  path: '${path}',
  area: 'assets',
  scope: 'org',
  title: { en: '${title}', zh: '${title}' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  defaultOrder: ['name'],
  quickCreate: ['name', 'comment'],
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
`;
}

function table({ resource, title }) {
  return `-- ${title}: say what a row is.
create table ${resource} (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  comment text not null default '',
  date_created timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
-- Searchable lists have an index, however long they grow.
create index ${resource}_search on ${resource} using gin (search_text gin_trgm_ops);
`;
}

function serverTest({ path, title }) {
  return `import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const PATH = '${path}/';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

it('creates, lists, changes and deletes a ${title.toLowerCase()}', async () => {
  const created = await admin.post<Json>(PATH, { name: 'first' });
  expect(created.status, created.text).toBe(201);
  const one = \`\${PATH}\${String(created.body.id)}/\`;
  expect((await admin.patch<Json>(one, { comment: 'changed' })).body.comment).toBe('changed');
  const { body } = await admin.get<readonly Json[]>(\`\${PATH}?search=FIR\`);
  expect(body).toMatchObject([{ name: 'first', comment: 'changed' }]);
  expect((await admin.delete(one)).status).toBe(204);
  expect((await admin.get(one)).status).toBe(404);
});

it('refuses a second one of the same name, and visitors', async () => {
  await admin.post(PATH, { name: 'twice' });
  const second = await admin.post<Json>(PATH, { name: 'twice' });
  expect([second.status, Object.keys(second.body)]).toEqual([400, ['name']]);
  expect((await test.visitor.get(PATH)).status).toBe(401);
});
`;
}

function page({ camel, Pascal }) {
  return `import { ${camel}, type Row } from '@sallyport/contract';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { words } from './words.ts';

export function ${Pascal}List() {
  return (
    <>
      <PageHeader />
      <ResourceList<Row<typeof ${camel}>>
        source={${camel}}
        columns={[{ name: 'name' }, { name: 'comment' }, { name: 'date_created', hidden: true }]}
        hasDelete
      />
    </>
  );
}

export function ${Pascal}Form() {
  return (
    <FormPage source={${camel}} groups={[{ title: words.basic, fields: ['name', 'comment'] }]} />
  );
}
`;
}

function screens({ folder, Pascal, resource, title }) {
  return `import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const pages = () => import('./${Pascal}Pages.tsx');

export const ${camelOf(folder)}Screens: readonly Screen[] = [
  ...resourceScreens(
    '${resource}',
    {
      title: { zh: '${title}', en: '${titleOf(folder)}' },
      list: page(pages, '${Pascal}List'),
      form: page(pages, '${Pascal}Form'),
    },
    { menu: { group: 'inventory' } },
  ),
];
`;
}

/** Returns the files of a resource by their paths from the root. */
export function filesOfResource(name, number) {
  const names = resourceNames(name);
  const { folder, resource, Pascal, title } = names;
  const web = `web/src/console/features/${folder}`;
  const server = `server/src/features/${folder}`;
  return {
    [`contract/src/resources/${folder}/${name}.ts`]: declaration(names),
    [`server/src/migrations/${number}_${folder.replaceAll('-', '_')}.sql`]: table(names),
    [`${server}/index.ts`]: `import { defineModule } from '../../module.ts';

/** ${title}: say in one sentence what users get. */
export const ${camelOf(folder)} = defineModule({
  name: '${folder}',
  tables: ['${resource}'],
  create: () => ({ service: {} }),
});
`,
    [`${server}/${folder}.test.ts`]: serverTest(names),
    [`${web}/index.ts`]: `export { ${camelOf(folder)}Screens } from './screens.ts';\n`,
    [`${web}/screens.ts`]: screens(names),
    [`${web}/words.ts`]: `import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({ basic: { zh: '基本', en: 'Basic' } });
`,
    [`${web}/${Pascal}Pages.tsx`]: page(names),
  };
}

/** Returns the lists of the project with the resource, by path. `read` returns their texts. */
export function listsWithResource(name, read) {
  const { folder, camel, resource } = resourceNames(name);
  const index = 'contract/src/resources/index.ts';
  const duties = 'web/src/console/start/duty-session.ts';
  const declared = addTo(
    read(index),
    `import { ${camel} } from './${folder}/${name}.ts';`,
    camel,
    'export const RESOURCES',
  );
  return {
    [index]: addTo(declared, '', camel, '\nexport {', '\n}'),
    [duties]: addTo(read(duties), '', `${resource}: 'assets'`, 'const OF_RESOURCES', '\n};'),
    ...registered(folder, read),
  };
}
