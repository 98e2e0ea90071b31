import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url)), 'utf8');

/** Where the license of noVNC is served. */
const NOVNC = 'static/app/novnc-license.txt';

/** Serves the license of noVNC with its code: the MPL 2.0 asks that people who get the program learn of it, and of where its source is. */
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
    },
  };
}
