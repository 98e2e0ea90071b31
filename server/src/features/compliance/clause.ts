import type { LocalText } from '@sallyport/contract';
import type { FactName } from './facts.ts';
import type { Wish } from './wishes.ts';

/**
 * A clause of GB/T 22239-2019, level 3, that concerns a bastion host. Titles are our own words.
 * Presets without their own clauses use the same list.
 */
export interface Clause {
  readonly reference: string;
  readonly title: LocalText;
  readonly wishes?: readonly Wish[];
  readonly facts?: readonly FactName[];
  /** The mechanism of the program that needs no setting. */
  readonly builtIn?: LocalText;
  /** The part of the organization. */
  readonly organization?: LocalText;
}
