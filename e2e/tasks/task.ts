import type { Language } from '@sallyport/contract';
import type { Visitor } from '../harness/browser.ts';
import type { Stage } from '../harness/journey.ts';
import type { Hand } from './hand.ts';

/** What a task has to work with. */
export interface TaskWorld extends Omit<Stage, 'browser'> {
  /** Opens a browser in English and signs an administrator in. */
  readonly administrator: (
    where: string,
    size?: { readonly width: number; readonly height: number },
  ) => Promise<Visitor>;
  /** Opens a browser of an ordinary user. */
  readonly person: (
    account: { readonly username: string; readonly password: string },
    where: string,
  ) => Promise<Visitor>;
  readonly language: Language;
  /** Stops what a task has started, when it is over. */
  readonly atEnd: (stop: () => Promise<void>) => void;
}

/** Something that people do often, from the page where they are when they think of it until it is done. */
export interface Task {
  readonly name: string;
  /** No more clicks than these. */
  readonly target: number;
  /** Sets up what was there before, and returns the task itself; only that is counted. */
  readonly prepare: (world: TaskWorld) => Promise<(hand: Hand) => Promise<void>>;
}
