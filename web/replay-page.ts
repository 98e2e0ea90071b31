import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';

/** The page of the terminal, and the copy of it that replays open. */
const PAGE = 'luna/index.html';
const REPLAY_PAGE = 'luna/replay/index.html';
const ENTRY = 'luna';
const SCREEN = fileURLToPath(new URL('src/terminal/replay/ReplayScreen.tsx', import.meta.url));

/** Adds a chunk after the chunks that it imports: the order in which their styles apply. */
function addClosure(name: string, bundle: Rolldown.OutputBundle, closure: Set<string>): void {
  const chunk = bundle[name];
  if (chunk?.type !== 'chunk' || closure.has(name)) return;
  for (const imported of chunk.imports) addClosure(imported, bundle, closure);
  closure.add(name);
}

/**
 * Writes the page of replays: that of the terminal, with links to all code and styles that a replay
 * needs. The browser requests them at once, instead of one import after the other.
 */
export function replayPage(): Plugin {
  return {
    name: 'sallyport-replay-page',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.values(bundle);
        const page = bundle[PAGE];
        const entry = files.find((file) => file.type === 'chunk' && file.name === ENTRY);
        const screen = files.find(
          (file) => file.type === 'chunk' && file.facadeModuleId === SCREEN,
        );
        if (page?.type !== 'asset' || !entry || !screen)
          this.error('the page of replays has no code');
        const html = String(page.source);
        const first = new Set<string>();
        addClosure(entry.fileName, bundle, first);
        const all = new Set(first);
        addClosure(screen.fileName, bundle, all);
        const styles = [...all].flatMap((name) => {
          const chunk = bundle[name];
          return chunk?.type === 'chunk' ? [...(chunk.viteMetadata?.importedCss ?? [])] : [];
        });
        const links = [
          ...[...new Set(styles)].map(
            (name) => `<link rel="stylesheet" crossorigin href="/${name}">`,
          ),
          // The code that starts the page, and its requests, come before the rest.
          ...[...all].map(
            (name) =>
              `<link rel="modulepreload"${first.has(name) ? '' : ' fetchpriority="low"'} crossorigin href="/${name}">`,
          ),
        ].filter((link) => !html.includes(link));
        this.emitFile({
          type: 'asset',
          fileName: REPLAY_PAGE,
          source: html.replace('</head>', () => `  ${links.join('\n    ')}\n  </head>`),
        });
      },
    },
  };
}
