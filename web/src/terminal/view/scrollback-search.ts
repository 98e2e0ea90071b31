import type { ISearchOptions, SearchAddon } from '@xterm/addon-search';
import type { Terminal } from '@xterm/xterm';

export interface SearchOptions {
  readonly caseSensitive: boolean;
  readonly regex: boolean;
}

export interface SearchResult {
  /** Index of the current hit, from 0; -1 without a hit. */
  readonly index: number;
  readonly count: number;
}

type Decorations = NonNullable<ISearchOptions['decorations']>;

const DECORATIONS: Readonly<Record<'light' | 'dark', Decorations>> = {
  dark: {
    matchBackground: '#5c4a10',
    activeMatchBackground: '#0f766e',
    activeMatchBorder: '#5eead4',
    matchOverviewRuler: '#d29922',
    activeMatchColorOverviewRuler: '#2dd4bf',
  },
  light: {
    matchBackground: '#fde68a',
    activeMatchBackground: '#99ebdc',
    activeMatchBorder: '#0f766e',
    matchOverviewRuler: '#d97706',
    activeMatchColorOverviewRuler: '#0f766e',
  },
};

/** Searches the scrollback. Loads the search code on first use, as most sessions never search. */
export class ScrollbackSearch {
  readonly #terminal: Terminal;
  readonly #onResult: (result: SearchResult) => void;
  #scheme: 'light' | 'dark';
  #addon: Promise<SearchAddon> | null = null;

  constructor(
    terminal: Terminal,
    scheme: 'light' | 'dark',
    onResult: (result: SearchResult) => void,
  ) {
    this.#terminal = terminal;
    this.#scheme = scheme;
    this.#onResult = onResult;
  }

  #load(): Promise<SearchAddon> {
    this.#addon ??= import('@xterm/addon-search').then(({ SearchAddon }) => {
      const addon = new SearchAddon({ highlightLimit: 2000 });
      this.#terminal.loadAddon(addon);
      addon.onDidChangeResults(({ resultIndex, resultCount }) =>
        this.#onResult({ index: resultIndex, count: resultCount }),
      );
      return addon;
    });
    return this.#addon;
  }

  /**
   * Finds the next or previous hit of a text. `incremental` keeps the current hit while the user
   * still types.
   */
  async find(
    text: string,
    direction: 'next' | 'previous',
    options: SearchOptions,
    incremental = false,
  ): Promise<void> {
    const addon = await this.#load();
    if (options.regex && !isPattern(text)) {
      this.#onResult({ index: -1, count: 0 });
      return;
    }
    const settings: ISearchOptions = {
      ...options,
      incremental,
      decorations: DECORATIONS[this.#scheme],
    };
    if (direction === 'next') addon.findNext(text, settings);
    else addon.findPrevious(text, settings);
  }

  /** Sets the scheme whose colors mark hits, from the next search on. */
  setScheme(scheme: 'light' | 'dark'): void {
    this.#scheme = scheme;
  }

  /** Removes the marks. */
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
