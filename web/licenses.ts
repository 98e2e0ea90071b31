import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url)), 'utf8');

/** The path of noVNC's license. */
const NOVNC = 'static/app/novnc-license.txt';

/**
 * Serves the license of noVNC with its code. MPL 2.0 requires that recipients learn of the license
 * and where to find the source.
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
    },
  };
}
