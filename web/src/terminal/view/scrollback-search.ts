import type { ISearchOptions, SearchAddon } from '@xterm/addon-search';
import type { Terminal } from '@xterm/xterm';

export interface SearchOptions {
  readonly caseSensitive: boolean;
  readonly regex: boolean;
}

export interface SearchResult {
  /** Position of the current hit, from 0; -1 when there is none. */
  readonly index: number;
  readonly count: number;
}

const DECORATIONS: NonNullable<ISearchOptions['decorations']> = {
  matchBackground: '#7c5e10',
  matchOverviewRuler: '#d29922',
  activeMatchBackground: '#0d9488',
  activeMatchColorOverviewRuler: '#2dd4bf',
};

/** Finding text in what scrolled by. The search code is loaded at the first use, which most sessions never make. */
export class ScrollbackSearch {
  readonly #terminal: Terminal;
  readonly #onResult: (result: SearchResult) => void;
  #addon: Promise<SearchAddon> | null = null;

  constructor(terminal: Terminal, onResult: (result: SearchResult) => void) {
    this.#terminal = terminal;
    this.#onResult = onResult;
  }

  #load(): Promise<SearchAddon> {
    this.#addon ??= import('@xterm/addon-search').then(({ SearchAddon }) => {
      const addon = new SearchAddon({ highlightLimit: 2000 });
      this.#terminal.loadAddon(addon);
      addon.onDidChangeResults(({ resultIndex, resultCount }) => this.#onResult({ index: resultIndex, count: resultCount }));
      return addon;
    });
    return this.#addon;
  }

  /** Finds the next or previous place of a text; `incremental` keeps the current hit while the text is still being typed. */
  async find(text: string, direction: 'next' | 'previous', options: SearchOptions, incremental = false): Promise<void> {
    const addon = await this.#load();
    if (options.regex && !isPattern(text)) {
      this.#onResult({ index: -1, count: 0 });
      return;
    }
    const settings: ISearchOptions = { ...options, incremental, decorations: DECORATIONS };
    if (direction === 'next') addon.findNext(text, settings);
    else addon.findPrevious(text, settings);
  }

  /** Takes the marks away. */
  async clear(): Promise<void> {
    if (this.#addon) (await this.#addon).clearDecorations();
  }
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
