import type { ReactNode } from 'react';

/** An option of a palette. */
export interface PaletteOption {
  readonly key: string;
  /** The heading above the option. */
  readonly group: string;
  readonly label: string;
  readonly note?: string;
  readonly icon: ReactNode;
  readonly run: () => void;
  /** Connects to the target, if it has one. */
  readonly connect?: (() => void) | undefined;
  /** Further actions on the object. */
  readonly actions?: readonly PaletteOption[];
  /** The console page that the option opens. */
  readonly address?: string;
}

/** The options of a palette for a text. */
export interface Offer {
  readonly options: readonly PaletteOption[];
  /** True if the first options are final, so Enter need not wait for an answer. */
  readonly settled: boolean;
  readonly failed?: boolean;
}

/** Props that the options get from the palette input. */
export interface ResultsProps {
  readonly query: string;
  /** Keys pressed before the options were loaded, in order. */
  readonly keys: KeyQueue;
  readonly onActive: (id: string | undefined) => void;
  readonly onClose: () => void;
}

/** A key handled by the options instead of the input. */
export interface PaletteKey {
  readonly key: string;
  /** Ctrl or ⌘ is pressed. */
  readonly connects: boolean;
  /** The cursor is at the end of the input. */
  readonly atEnd: boolean;
}

/** Passes keys to the options, and queues them until the options are loaded. */
export class KeyQueue {
  readonly #waiting: PaletteKey[] = [];
  #answer: ((key: PaletteKey) => boolean) | undefined;

  /** Returns true if the key is handled, now or later. */
  press(key: PaletteKey): boolean {
    if (this.#answer) return this.#answer(key);
    const isForLines = key.key !== 'ArrowRight' && key.key !== 'ArrowLeft' && key.key !== 'Escape';
    if (isForLines) this.#waiting.push(key);
    return isForLines;
  }

  /** Handles keys from now on, starting with queued ones. Returns a function that stops it. */
  listen(answer: (key: PaletteKey) => boolean): () => void {
    this.#answer = answer;
    for (const key of this.#waiting.splice(0)) answer(key);
    return () => {
      this.#answer = undefined;
    };
  }
}
