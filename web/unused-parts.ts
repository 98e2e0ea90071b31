import type { Plugin } from 'vite';

/** Parts that Mantine hangs on its components and that no page of ours uses. */
const UNUSED = {
  ActionIcon: ['Group', 'GroupSection'],
  Button: ['Group', 'GroupSection'],
  Menu: ['Sub', 'Search', 'CheckboxGroup', 'CheckboxItem', 'RadioGroup', 'RadioItem', 'ContextMenu'],
  Combobox: ['Search', 'Header', 'Footer'],
  Popover: ['ContextMenu'],
  Tooltip: ['Floating'],
} as const;
const of = (write: (component: string, part: string) => string) =>
  Object.entries(UNUSED)
    .map(([component, parts]) => write(component, `(?:${parts.join('|')})`))
    .join('|');
const MODULE = new RegExp(`@mantine/core/esm/components/(?:${of((component, part) => `${component}/\\w+/${component}${part}`)})\\.mjs$`);
const USE = new RegExp(`\\b(?:${of((component, part) => `${component}\\.${part}`)})\\b`);

/** Leaves out parts of components that nobody uses, 8 KiB of every page: they hang on the component as members, so the bundler has to keep them. */
export function unusedParts(): Plugin {
  return {
    name: 'sallyport-unused-parts',
    apply: 'build',
    load: { filter: { id: MODULE }, handler: (id) => `export const ${/(\w+)\.mjs$/.exec(id)?.[1]} = undefined;` },
    transform: {
      filter: { id: /\/web\/src\/.*\.tsx$/, code: USE },
      handler(code) {
        this.error(`${USE.exec(code)?.[0]} is left out of the build: take it off the list in web/unused-parts.ts`);
      },
    },
  };
}
