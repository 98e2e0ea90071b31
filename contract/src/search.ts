/** An object that a search found. */
export interface SearchHit {
  /** The name of its resource. */
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  /** A second line; empty when there is nothing more to say. */
  readonly note: string;
  /** Its page in the console, without a slash before it; null for what the caller may use but has no page for. */
  readonly page: string | null;
  /** The asset that the caller may connect to from here. */
  readonly connects: string | null;
}

/** GET search/?q=&role=&kind=&limit=: the best first; without `q` what the caller used lately. */
export interface SearchAnswer {
  readonly results: readonly SearchHit[];
}
