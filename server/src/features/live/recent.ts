import type { ChangeNews } from '../audits/operate-log.ts';

/** News that are kept for those who come a little later; older ones are forgotten. */
const MOST_KEPT = 2_000;
const KEPT_MILLISECONDS = 120_000;

/**
 * The latest news, so that a page hears what changed between its reading and the opening of its
 * socket.
 */
export class Recent {
  #news: { readonly at: number; readonly news: ChangeNews }[] = [];
  /** Nothing is known of what happened before. */
  #knownSince = performance.now();

  add(news: ChangeNews): void {
    const now = performance.now();
    this.#news.push({ at: now, news });
    if (this.#news.length <= MOST_KEPT) return;
    // Not at each addition: what is dropped is copied over.
    this.#news = this.#news.slice(-MOST_KEPT / 2).filter(({ at }) => at > now - KEPT_MILLISECONDS);
    this.#knownSince = this.#news[0]?.at ?? now;
  }

  /** Messages may have been lost. */
  forget(): void {
    this.#news = [];
    this.#knownSince = performance.now();
  }

  /** What came in the last milliseconds; undefined when that is not known. */
  since(milliseconds: number): readonly ChangeNews[] | undefined {
    if (!(milliseconds > 0)) return [];
    const from = performance.now() - milliseconds;
    if (milliseconds > KEPT_MILLISECONDS || from < this.#knownSince) return undefined;
    return this.#news.filter(({ at }) => at >= from).map(({ news }) => news);
  }
}
