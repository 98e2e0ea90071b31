import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url)), 'utf8');

/** The paths of the licenses. */
const NOVNC = 'static/app/novnc-license.txt';
const INTER = 'static/app/inter-license.txt';

/**
 * Serves the licenses of noVNC and of the font Inter with them. MPL 2.0 requires that recipients
 * learn of the license and where to find the source; OFL 1.1, that its text comes with the font.
 */
export function licenses(): Plugin {
  return {
    name: 'sallyport-licenses',
    apply: 'build',
    generateBundle() {
      const { version } = JSON.parse(read('@novnc/novnc/package.json')) as {
        readonly version: string;
      };
      const source = `noVNC ${version}, unchanged. Its source is at https://github.com/novnc/noVNC and in the npm package @novnc/novnc.\n\n`;
      const text = [
        source,
        read('@novnc/novnc/LICENSE.txt'),
        '\n',
        read('@novnc/novnc/docs/LICENSE.MPL-2.0'),
        '\npako, which noVNC contains:\n\n',
        read('@novnc/novnc/vendor/pako/LICENSE'),
      ].join('');
      this.emitFile({ type: 'asset', fileName: NOVNC, source: text });
      const font = read('@fontsource-variable/inter/LICENSE');
      this.emitFile({ type: 'asset', fileName: INTER, source: font });
    },
  };
}
