import type { LocalText, TextParams } from '@sallyport/contract';

/** A fact of the installation as its data says at this moment. */
export interface Fact {
  readonly met: boolean;
  readonly value: LocalText | Date;
  readonly params?: TextParams;
}
