import { fileURLToPath } from 'node:url';

/**
 * Makes noVNC's decoders importable; its package exports only the whole client. The player of
 * recordings uses the decoders without a connection.
 */
export const novncDecoders = {
  find: /^@novnc\/novnc\/core\/decoders\//,
  replacement: fileURLToPath(new URL('decoders/', import.meta.resolve('@novnc/novnc'))),
};
