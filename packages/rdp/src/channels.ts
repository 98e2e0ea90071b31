import { BadPdu } from './byte-reader.ts';
import type { ChannelNames } from './settings.ts';

/** The static channels of a connection: the browser's, then those of the gateway. */
export class Channels {
  #names: ChannelNames = { browser: [], own: [] };
  #ids: readonly number[] = [];
  /** Own channels that the server has not confirmed yet. */
  readonly #joining = new Set<number>();

  /** The names in the order of the request. */
  requested(names: ChannelNames): void {
    this.#names = names;
  }

  get names(): ChannelNames {
    return this.#names;
  }

  /** The server's numbers, in the same order. */
  numbered(ids: readonly number[]): void {
    this.#ids = ids;
  }

  /** Returns the numbers of own channels, which the gateway joins. */
  joinOwn(): readonly number[] {
    const own = this.#ids.slice(this.#names.browser.length);
    for (const id of own) this.#joining.add(id);
    return own;
  }

  /** Returns true if a confirmation is for an own channel, so that the browser must not see it. */
  isOwnConfirmation(id: number): boolean {
    return this.#joining.delete(id);
  }

  /** Returns true for a channel of the browser. */
  isOfBrowser(id: number): boolean {
    return this.#ids.slice(0, this.#names.browser.length).includes(id);
  }

  /** Name of a channel on which one side sends; undefined if it is closed. @throws BadPdu */
  nameOf(from: 'client' | 'server', id: number): string | undefined {
    const index = this.#ids.indexOf(id);
    const { browser, own } = this.#names;
    if (index < 0 || (from === 'client' && index >= browser.length))
      throw new BadPdu('data comes for a channel that is not there');
    return index < browser.length ? browser[index] : own[index - browser.length];
  }

  idOf(name: string): number {
    const { browser, own } = this.#names;
    return this.#ids[[...browser, ...own].indexOf(name)] ?? 0;
  }
}
