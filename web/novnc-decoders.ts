import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const DECODER = /^@novnc\/novnc\/core\/decoders\/(\w+)\.js$/;

/** Lets pages import the decoders of noVNC by themselves: its package names only the whole of it. The player of recordings draws with them, without a connection. */
export function novncDecoders(): Plugin {
  return {
    name: 'sallyport-novnc-decoders',
    enforce: 'pre',
    resolveId(id) {
      const name = DECODER.exec(id)?.[1];
      return name
        ? fileURLToPath(new URL(`decoders/${name}.js`, import.meta.resolve('@novnc/novnc')))
        : undefined;
    },
  };
}
