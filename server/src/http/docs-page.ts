import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../platform/errors.ts';
import { openFile, openForAnswer } from './file-answer.ts';
import { publicRoute } from './route.ts';

const PARTS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sallyport API</title>
<link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/api/docs/swagger-ui.css"></head>
<body><div id="docs"></div><script src="/api/docs/swagger-ui-bundle.js"></script><script src="/api/docs/start.js"></script></body>
</html>`;

/** Requests from the page carry the browser's session cookie and its CSRF token. */
const START = `SwaggerUIBundle({
  url: '/api/docs/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  requestInterceptor(request) {
    const token = /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie);
    if (token) request.headers['X-CSRFToken'] = decodeURIComponent(token[1]);
    return request;
  },
});`;

/**
 * Serves the Swagger page at `/api/docs/`. The page is public; the API description needs a sign-in.
 */
export function mountDocsPage(app: FastifyInstance): void {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  publicRoute(app, {
    method: 'GET',
    url: '/api/docs/',
    handler: ({ reply }) =>
      reply
        .header('content-type', 'text/html; charset=utf-8')
        .header(
          'content-security-policy',
          "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'self'; base-uri 'none'; form-action 'self'",
        )
        .send(PAGE),
  });
  publicRoute(app, {
    method: 'GET',
    url: '/api/docs/start.js',
    handler: ({ reply }) =>
      reply.header('content-type', 'text/javascript; charset=utf-8').send(START),
  });
  for (const [name, type] of Object.entries(PARTS)) {
    publicRoute(app, {
      method: 'GET',
      url: `/api/docs/${name}`,
      handler: async (context) => {
        const part = await openForAnswer(context, () => openFile(join(folder, name)));
        if (!part) throw notFound();
        context.reply.header('content-type', type).header('cache-control', 'public, max-age=3600');
        return part.stream;
      },
    });
  }
}
