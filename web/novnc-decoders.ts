import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const DECODER = /^@novnc\/novnc\/core\/decoders\/(\w+)\.js$/;

/**
 * Makes noVNC's decoders importable; its package exports only the whole client. The recording
 * player uses the decoders without a connection.
 */
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
