import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../platform/errors.ts';
import { SERVER_FOLDER } from '../platform/process/server-folder.ts';
import { publicRoute } from './route.ts';

/** Bundled with the server: sallyctl, in one file. */
const FILE = join(SERVER_FOLDER, '../sallyctl/dist/sallyctl.mjs');
const NAME = 'sallyctl.mjs';

/** Reads the program. @throws NotFound in sources that were never bundled */
async function readProgram(): Promise<Buffer> {
  return readFile(FILE).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? notFound() : error;
  });
}

/** Serves the program for users, and its checksum, as it belongs to this version of the server. */
export function mountDownloads(app: FastifyInstance): void {
  publicRoute(app, {
    method: 'GET',
    url: `/download/${NAME}`,
    async handler({ reply }) {
      const program = await readProgram();
      reply
        .header('cache-control', 'no-cache')
        .header('content-disposition', `attachment; filename="${NAME}"`)
        .header('x-content-type-options', 'nosniff')
        .type('text/javascript; charset=utf-8');
      return program;
    },
  });
  publicRoute(app, {
    method: 'GET',
    url: `/download/${NAME}.sha256`,
    async handler({ reply }) {
      const digest = createHash('sha256')
        .update(await readProgram())
        .digest('hex');
      reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8');
      return `${digest}  ${NAME}\n`;
    },
  });
}
