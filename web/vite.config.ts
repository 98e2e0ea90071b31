import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type InlineConfig, type Plugin } from 'vite';
import { chunks } from './chunks.ts';
import { compress } from './compress.ts';
import { evidencePage } from './evidence-page.ts';
import { firstPaint } from './first-paint.ts';
import { guides } from './guides.ts';
import { icons } from './icons.ts';
import { ironRdp } from './iron-rdp.ts';
import { licenses } from './licenses.ts';
import { novncDecoders } from './novnc-decoders.ts';
import { replayPage } from './replay-page.ts';
import { resourceIndex } from './resource-index.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const server = process.env.SALLYPORT_DEV_SERVER ?? 'http://127.0.0.1:8080';

/** The page for an address during development; the server maps built pages the same way. */
function pageOf(address: string): string | undefined {
  const path = address.split('?')[0] ?? '';
  if (path === '/' || path === '/ui' || /^\/(ui|core\/console)\//.test(path))
    return '/ui/index.html';
  if (path === '/luna/rdp/') return '/luna/rdp/index.html';
  if (path.startsWith('/luna/')) return '/luna/index.html';
  if (/^\/core\/auth\/(login|logout|password\/forgot|password\/reset)\/$/.test(path))
    return '/core/auth/login/index.html';
  return undefined;
}

/**
 * Serves pages by address, and forwards cookies that the real server sets with the sign-in page.
 */
function pages(): Plugin {
  return {
    name: 'sallyport-pages',
    configureServer(vite) {
      vite.middlewares.use(
        async (request: IncomingMessage, response: ServerResponse, next: () => void) => {
          const page =
            request.method === 'GET' && !/\.\w+(\?|$)/.test(request.url ?? '')
              ? pageOf(request.url ?? '')
              : undefined;
          if (page) {
            if (page.startsWith('/core/')) {
              const answer = await fetch(`${server}/core/auth/login/`).catch(() => undefined);
              if (answer) response.setHeader('set-cookie', answer.headers.getSetCookie());
            }
            request.url = page;
          }
          next();
        },
      );
    },
  };
}

/** A file of code that pages share: `chunks.ts` names them. */
const SHARED_FILE = /\/(?:start|list)-[^/]+\.js$/;

/** Plugins that write code. */
const code = () => [
  react(),
  guides(here('../docs')),
  evidencePage(),
  ironRdp(),
  licenses(),
  resourceIndex(),
  icons(),
];

/** The build of the code, without the files around it. */
const codeConfig: InlineConfig = {
  root: here('.'),
  appType: 'mpa',
  resolve: { alias: [novncDecoders] },
  plugins: [code()],
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    assetsDir: 'static/app',
    // A data: address would require a looser content security policy.
    assetsInlineLimit: 0,
    // The HTML names all files of the start, and a page its styles and the files of every list, so
    // each loads in one round. All files of all pages would add 7 KiB to the first load.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === 'html'
          ? files
          : files.filter((file) => file.endsWith('.css') || SHARED_FILE.test(file)),
    },
    rolldownOptions: {
      output: {
        // Every file names the files that it imports, and hashes do not compress.
        entryFileNames: 'static/app/[name]-[hash:7].js',
        chunkFileNames: 'static/app/[name]-[hash:7].js',
        assetFileNames: 'static/app/[name]-[hash:7][extname]',
        codeSplitting: {
          groups: [
            // Icons that many parts share are one file, instead of a request for each.
            { name: 'icons', test: /^\0virtual:icon\//, minShareCount: 5 },
          ],
        },
      },
      input: {
        ui: here('ui/index.html'),
        luna: here('luna/index.html'),
        rdp: here('luna/rdp/index.html'),
        signin: here('core/auth/login/index.html'),
      },
    },
  },
};

/** The build of the pages. */
export const config: InlineConfig = {
  ...codeConfig,
  plugins: [
    code(),
    pages(),
    chunks({ ...codeConfig, build: { ...codeConfig.build, write: false } }),
    replayPage(),
    firstPaint(),
    compress(),
  ],
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': server,
      '/static/interface': server,
      '/ws': { target: server.replace('http', 'ws'), ws: true },
      '/core': {
        target: server,
        bypass: (request) => (request.method === 'GET' ? request.url : undefined),
      },
    },
  },
};

export default defineConfig(config);
