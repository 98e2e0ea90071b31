import type { Plugin } from 'vite';

/** Parts that Mantine hangs on its components and that no page of ours uses. */
const UNUSED = {
  ActionIcon: ['Group', 'GroupSection'],
  Button: ['Group', 'GroupSection'],
  Menu: ['Sub', 'Search', 'CheckboxGroup', 'CheckboxItem', 'RadioGroup', 'RadioItem', 'ContextMenu'],
  Input: ['Success'],
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

/** What Mantine draws or asks always, and no page of ours wants: arrows at boxes, and tooltips that wait together. */
const REPLACED = [
  { id: /@mantine\/core\/esm\/utils\/Floating\/FloatingArrow\/FloatingArrow\.mjs$/, use: 'withArrow', code: 'export const FloatingArrow = () => null;' },
  {
    id: /@mantine\/core\/esm\/components\/Tooltip\/TooltipGroup\/TooltipGroup\.mjs$/,
    use: 'Tooltip.Group',
    code: `import { createContext } from 'react';
      export const TooltipGroup = undefined;
      export const TooltipGroupContext = createContext({ withinGroup: false });`,
  },
];
const ANY_USE = new RegExp(`${USE.source}|\\b(?:${REPLACED.map(({ use }) => use).join('|')})\\b`);

/** Leaves out parts of components that nobody uses, some 8 KiB of every page: they hang on the component as members, so the bundler has to keep them. */
export function unusedParts(): Plugin {
  return {
    name: 'sallyport-unused-parts',
    apply: 'build',
    load: {
      filter: { id: [MODULE, ...REPLACED.map(({ id }) => id)] },
      handler: (id) => REPLACED.find((one) => one.id.test(id))?.code ?? `export const ${/(\w+)\.mjs$/.exec(id)?.[1]} = undefined;`,
    },
    transform: {
      filter: { id: /\/web\/src\/.*\.tsx?$/, code: ANY_USE },
      handler(code) {
        this.error(`${ANY_USE.exec(code)?.[0]} is left out of the build: take it off the list in web/unused-parts.ts`);
      },
    },
  };
}
