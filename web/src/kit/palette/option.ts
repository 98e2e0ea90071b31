import type { ReactNode } from 'react';

/** One line of a palette. */
export interface PaletteOption {
  readonly key: string;
  /** The heading that it is listed below. */
  readonly group: string;
  readonly label: string;
  readonly note?: string;
  readonly icon: ReactNode;
  readonly run: () => void;
  /** Connects, where there is something to connect to. */
  readonly connect?: (() => void) | undefined;
  /** What else can be done with it. */
  readonly actions?: readonly PaletteOption[];
  /** The page of the console that it opens. */
  readonly address?: string;
}

/** What a palette offers for a text. */
export interface Offer {
  readonly options: readonly PaletteOption[];
  /** Whether the first lines stay what they are, so that Enter need not wait for an answer. */
  readonly settled: boolean;
  readonly failed?: boolean;
}

/** What the lines of a palette need from the field above them. */
export interface ResultsProps {
  readonly query: string;
  /** Keys that were typed before the lines were there, in their order. */
  readonly keys: KeyQueue;
  readonly onActive: (id: string | undefined) => void;
  readonly onClose: () => void;
}

/** A key that the lines, not the field, have to answer. */
export interface PaletteKey {
  readonly key: string;
  /** Ctrl, or ⌘. */
  readonly connects: boolean;
  /** The cursor is behind the last letter of the field. */
  readonly atEnd: boolean;
}

/** Hands keys to the lines, and keeps them until there are lines. */
export class KeyQueue {
  readonly #waiting: PaletteKey[] = [];
  #answer: ((key: PaletteKey) => boolean) | undefined;

  /** Whether the key is answered, now or later. */
  press(key: PaletteKey): boolean {
    if (this.#answer) return this.#answer(key);
    const isForLines = key.key !== 'ArrowRight' && key.key !== 'ArrowLeft' && key.key !== 'Escape';
    if (isForLines) this.#waiting.push(key);
    return isForLines;
  }

  /** Answers keys from now on, those that wait first. */
  listen(answer: (key: PaletteKey) => boolean): () => void {
    this.#answer = answer;
    for (const key of this.#waiting.splice(0)) answer(key);
    return () => {
      this.#answer = undefined;
    };
  }
}
