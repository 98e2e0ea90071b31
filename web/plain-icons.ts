import type { Plugin } from 'vite';

/** What makes an icon: as the package does it, without names, and with children that need no keys. */
const COMPONENT = `import { createElement, forwardRef } from 'react';
import defaultAttributes from './defaultAttributes.mjs';
export default (type, parts) => forwardRef(({ color = 'currentColor', size = 24, stroke = 2, title, children, ...rest }, ref) => createElement(
  'svg',
  { ref, ...defaultAttributes[type], width: size, height: size, ...(type === 'filled' ? { fill: color } : { strokeWidth: stroke, stroke: color }), ...rest },
  title && createElement('title', null, title),
  ...parts.map(([tag, attributes]) => createElement(tag, attributes)),
  children,
));`;

const MAKER = /@tabler\/icons-react\/dist\/esm\/createReactComponent\.mjs$/;
const ICON = /@tabler\/icons-react\/dist\/esm\/icons\/Icon\w+\.mjs$/;

/** Leaves out what icons say of themselves: each has two names for classes that no page styles, and a key for each line. Together some KiB of every page. */
export function plainIcons(): Plugin {
  return {
    name: 'sallyport-plain-icons',
    apply: 'build',
    load: { filter: { id: MAKER }, handler: () => COMPONENT },
    transform: {
      filter: { id: ICON },
      handler(code, id) {
        const plain = code.replace(/createReactComponent\(("\w+"), "[^"]*", "[^"]*", /g, 'createReactComponent($1, ').replace(/,?\s*"key": "svg-\d+"/g, '');
        // A new version of the package may write its icons in another way.
        if (plain.includes('svg-') || !/createReactComponent\("\w+", \w/.test(plain)) this.error(`${id}: the icon is not as web/plain-icons.ts expects`);
        return { code: plain, map: null };
      },
    },
  };
}
