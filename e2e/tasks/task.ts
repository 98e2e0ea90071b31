import type { Language } from '@sallyport/contract';
import type { Visitor } from '../harness/browser.ts';
import type { Stage } from '../harness/journey.ts';
import type { Server } from '../harness/server.ts';
import type { Hand } from './hand.ts';

/** The resources of a task. */
export interface TaskWorld extends Omit<Stage, 'browser' | 'server'> {
  readonly server: Server;
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
  /** Registers a cleanup that runs after the task. */
  readonly atEnd: (stop: () => Promise<void>) => void;
}

/** A frequent task, from the page where a user decides to do it until it is done. */
export interface Task {
  readonly name: string;
  /** No more clicks than these. */
  readonly target: number;
  /** Sets up the preconditions, and returns the task itself; only the task is counted. */
  readonly prepare: (world: TaskWorld) => Promise<(hand: Hand) => Promise<void>>;
}
