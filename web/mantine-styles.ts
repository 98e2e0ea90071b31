import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const CLASS_NAMES = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;

/**
 * Imports the style sheet of each Mantine component from the module of its class names, so that
 * pages load only the styles they use. During development, packages are not transformed, and pages
 * load all styles.
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
