import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { isUuid, SECOND_CONSOLE } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { StartError } from '../config.ts';
import { notFound } from '../platform/errors.ts';
import { publicRoute } from './route.ts';

const PROFILE = `${SECOND_CONSOLE}/users/profile`;

/**
 * Server pages that existing consoles open in a window, with the console page that replaces each.
 */
const MOVED: Readonly<Record<string, string>> = {
  '/core/auth/profile/otp/enable/start/': `${PROFILE}?activeTab=MFA`,
  '/core/auth/profile/otp/update/': `${PROFILE}?activeTab=MFA`,
  '/core/auth/profile/otp/disable/authentication/': `${PROFILE}?activeTab=MFA`,
  '/core/auth/profile/pubkey/generate/': `${PROFILE}?activeTab=SSHUpdate`,
  '/core/flower': `${SECOND_CONSOLE}/ops/task/monitor`,
};

/** Redirects former addresses to the console. The target pages check access. */
export function mountMovedAddresses(app: FastifyInstance): void {
  for (const [url, to] of Object.entries(MOVED))
    publicRoute(app, { method: 'GET', url, handler: ({ reply }) => reply.redirect(to, 302) });
  publicRoute(app, {
    method: 'GET',
    url: '/core/ops/celery/task/:id/log/',
    handler({ reply, request }) {
      const { id } = request.params as { id: string };
      if (!isUuid(id)) throw notFound();
      return reply.redirect(`${SECOND_CONSOLE}/ops/celery/task/${id}/log/`, 302);
    },
  });
}

/**
 * Content security policy. Scripts load from this server only; widgets need inline styles to
 * measure themselves.
 */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ');
/** The frame of an RDP desktop also compiles our WebAssembly. */
const WITH_WASM = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'");
const PAGES: readonly {
  readonly urls: readonly string[];
  readonly file: string;
  readonly policy?: string;
  /** The page needs the CSRF cookie from an earlier page, and leads to the sign-in without it. */
  readonly needsCsrf?: true;
}[] = [
  {
    urls: ['/ui/', '/ui/*', `${SECOND_CONSOLE}/`, `${SECOND_CONSOLE}/*`],
    file: 'ui/index.html',
    needsCsrf: true,
  },
  {
    urls: ['/luna/', '/luna/*', '/koko/elfinder/sftp/', '/koko/elfinder/sftp/*'],
    file: 'luna/index.html',
  },
  { urls: ['/luna/replay/*'], file: 'luna/replay/index.html' },
  { urls: ['/luna/rdp/'], file: 'luna/rdp/index.html', policy: WITH_WASM },
  {
    urls: [
      '/core/auth/login/',
      '/core/auth/logout/',
      '/core/auth/password/forgot/',
      '/core/auth/password/reset/',
      '/core/auth/welcome/',
    ],
    file: 'core/auth/login/index.html',
  },
];

export interface PageOptions {
  /** Folder of the built web: `web/dist`. */
  readonly folder: string;
  /** True if another server shows pages that are not built. */
  readonly isOptional?: boolean | undefined;
  /** Called for pages outside the console: sets the CSRF cookie that browsers repeat later. */
  readonly prepare: (reply: FastifyReply) => void;
}

/** Serves the pages and their assets. @throws StartError if the web is not built */
export async function mountPages(app: FastifyInstance, options: PageOptions): Promise<void> {
  if (!existsSync(join(options.folder, 'ui/index.html'))) {
    if (options.isOptional) return;
    throw new StartError('The console is not built. Run: npm run build');
  }
  await app.register(fastifyStatic, {
    root: options.folder,
    serve: false,
    preCompressed: true,
    acceptRanges: false,
    cacheControl: false,
  });

  publicRoute(app, {
    method: ['GET', 'HEAD'],
    url: '/',
    handler: ({ reply }) => reply.redirect('/ui/', 302),
  });
  publicRoute(app, {
    method: 'GET',
    url: '/static/app/*',
    handler: ({ reply, request }) => {
      // File names contain a digest of the content, so browsers may cache them forever.
      reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('vary', 'accept-encoding');
      return reply.sendFile(`static/app/${(request.params as { '*': string })['*']}`);
    },
  });
  publicRoute(app, {
    method: 'GET',
    url: '/favicon.svg',
    handler: ({ reply }) =>
      reply.header('cache-control', 'public, max-age=86400').sendFile('favicon.svg'),
  });
  for (const { urls, file, policy = POLICY, needsCsrf } of PAGES) {
    for (const url of urls) {
      publicRoute(app, {
        method: 'GET',
        url,
        handler: ({ reply }) => {
          if (!needsCsrf) options.prepare(reply);
          reply.header('content-security-policy', policy).header('cache-control', 'no-cache');
          return reply.sendFile(file);
        },
      });
    }
  }
}
