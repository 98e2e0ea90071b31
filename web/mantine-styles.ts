import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const CLASS_NAMES = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;

/**
 * Every Mantine component brings its own styles, so that a page loads those of the components it uses: the module of its class names imports
 * its sheet. During development, where packages are not transformed, pages load the sheet of all components.
 */
export function mantineStyles(): Plugin[] {
  return [
    {
      name: 'sallyport-mantine-styles',
      apply: 'build',
      transform: {
        filter: { id: CLASS_NAMES },
        handler: (code, id) =>
          `import '@mantine/core/styles/${CLASS_NAMES.exec(id)?.[1]}.layer.css';\n${code}`,
      },
    },
    {
      name: 'sallyport-mantine-styles-dev',
      apply: 'serve',
      transformIndexHtml: () => {
        const sheet = fileURLToPath(import.meta.resolve('@mantine/core/styles.layer.css'));
        return [
          {
            tag: 'link',
            attrs: { rel: 'stylesheet', href: `/@fs${sheet}` },
            injectTo: 'head-prepend',
          },
        ];
      },
    },
  ];
}
