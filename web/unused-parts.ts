import type { Plugin } from 'vite';

/** Parts of Mantine components that our pages never use. */
const UNUSED = {
  ActionIcon: ['Group', 'GroupSection'],
  Button: ['Group', 'GroupSection'],
  Menu: [
    'Sub',
    'Search',
    'CheckboxGroup',
    'CheckboxItem',
    'RadioGroup',
    'RadioItem',
    'ContextMenu',
  ],
  Input: ['Success'],
  Combobox: ['Search', 'Header', 'Footer'],
  Popover: ['ContextMenu'],
  Tooltip: ['Floating'],
} as const;
const of = (write: (component: string, part: string) => string) =>
  Object.entries(UNUSED)
    .map(([component, parts]) => write(component, `(?:${parts.join('|')})`))
    .join('|');
const MODULE = new RegExp(
  `@mantine/core/esm/components/(?:${of((component, part) => `${component}/\\w+/${component}${part}`)})\\.mjs$`,
);
const USE = new RegExp(`\\b(?:${of((component, part) => `${component}\\.${part}`)})\\b`);

/**
 * Parts that Mantine always includes and our pages do not need: arrows, tooltip groups, and most
 * transitions.
 */
const REPLACED = [
  {
    id: /@mantine\/core\/esm\/utils\/Floating\/FloatingArrow\/FloatingArrow\.mjs$/,
    use: 'withArrow',
    code: 'export const FloatingArrow = () => null;',
  },
  {
    id: /@mantine\/core\/esm\/components\/Tooltip\/TooltipGroup\/TooltipGroup\.mjs$/,
    use: 'Tooltip.Group',
    code: `import { createContext } from 'react';
      export const TooltipGroup = undefined;
      export const TooltipGroupContext = createContext({ withinGroup: false });`,
  },
  {
    id: /@mantine\/core\/esm\/components\/Transition\/transitions\.mjs$/,
    use: "transition: '(?:fade-(?:up|left|right)|scale|skew|rotate|pop-)",
    code: `const moving = (out, origin) => ({
        in: { opacity: 1, transform: 'none' },
        out: { opacity: 0, transform: out },
        common: { transformOrigin: origin },
        transitionProperty: 'transform, opacity',
      });
      export const transitions = {
        fade: { in: { opacity: 1 }, out: { opacity: 0 }, transitionProperty: 'opacity' },
        'fade-down': moving('translateY(-30px)'),
        'slide-down': moving('translateY(-100%)', 'top'),
        'slide-up': moving('translateY(100%)', 'bottom'),
        'slide-left': moving('translateX(100%)', 'left'),
        'slide-right': moving('translateX(-100%)', 'right'),
        pop: moving('scale(.9) translateY(10px)', 'center'),
      };`,
  },
];
const ANY_USE = new RegExp(`${USE.source}|\\b(?:${REPLACED.map(({ use }) => use).join('|')})\\b`);

/**
 * Removes unused parts of components, about 8 KiB of every page. The bundler keeps them because
 * they are members of the components.
 */
export function unusedParts(): Plugin {
  return {
    name: 'sallyport-unused-parts',
    apply: 'build',
    load: {
      filter: { id: [MODULE, ...REPLACED.map(({ id }) => id)] },
      handler: (id) =>
        REPLACED.find((one) => one.id.test(id))?.code ??
        `export const ${/(\w+)\.mjs$/.exec(id)?.[1]} = undefined;`,
    },
    transform: {
      filter: { id: /\/web\/src\/.*\.tsx?$/, code: ANY_USE },
      handler(code) {
        this.error(
          `${ANY_USE.exec(code)?.[0]} is left out of the build: take it off the list in web/unused-parts.ts`,
        );
      },
    },
  };
}

/** Removes the names of list parameters, which only the server and its API description use. */
export function serverParts(): Plugin {
  return {
    name: 'sallyport-server-parts',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/contract\/src\/resources\/.*\.ts$/, code: /^ {2}parameters: \[/m },
      handler: (code) => ({ code: code.replace(/^ {2}parameters: \[[^\]]*\],\n/m, ''), map: null }),
    },
  };
}
