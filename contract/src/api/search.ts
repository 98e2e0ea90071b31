export interface SearchHit {
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  /** A second line; may be empty. */
  readonly note: string;
  /**
   * Console page without a leading slash; null if the caller may use the object but has no page for
   * it.
   */
  readonly page: string | null;
  /** The asset that the caller may connect to. */
  readonly connects: string | null;
  /**
   * Quality of the match: 0 the title or note is equal, 1 and 2 the title or its words begin with
   * the text, 3 the title contains it, 4 another field does.
   */
  readonly fit: number;
}

/** GET search/?q=&role=&kind=&limit=: best hits first; without `q`, recently used objects. */
export interface SearchAnswer {
  readonly results: readonly SearchHit[];
}

/**
 * An asset of GET search/quick-connect/ (bare array): favorites first, then recently used ones, if
 * the caller may connect now.
 */
export interface QuickConnectAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly favorite: boolean;
  /** Last use by the caller; null if not recent. */
  readonly date_last: string | null;
}

/** One per digit from 1 to 9. */
export const QUICK_CONNECT_MOST = 9;
