import type { ChangeNews } from '../audits/index.ts';

/** Maximum number and age of stored changes. */
const MOST_KEPT = 2_000;
const KEPT_MILLISECONDS = 120_000;

/**
 * The latest changes. A page learns what changed between its load and the opening of its socket.
 */
export class Recent {
  #news: { readonly at: number; readonly news: ChangeNews }[] = [];
  /** Start of the known period. */
  #knownSince = performance.now();

  add(news: ChangeNews): void {
    const now = performance.now();
    this.#news.push({ at: now, news });
    if (this.#news.length <= MOST_KEPT) return;
    // Trims rarely, as each trim copies the list.
    this.#news = this.#news.slice(-MOST_KEPT / 2).filter(({ at }) => at > now - KEPT_MILLISECONDS);
    this.#knownSince = this.#news[0]?.at ?? now;
  }

  /** Drops everything, as messages may have been lost. */
  forget(): void {
    this.#news = [];
    this.#knownSince = performance.now();
  }

  /** Changes of the last milliseconds. Undefined if they are not all known. */
  since(milliseconds: number): readonly ChangeNews[] | undefined {
    if (!(milliseconds > 0)) return [];
    const from = performance.now() - milliseconds;
    if (milliseconds > KEPT_MILLISECONDS || from < this.#knownSince) return undefined;
    return this.#news.filter(({ at }) => at >= from).map(({ news }) => news);
  }
}
