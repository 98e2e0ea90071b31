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

/** An asset of GET search/quick-connect/ (bare array): the favorites, then those used last, of what the caller may connect to now. */
export interface QuickConnectAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly favorite: boolean;
  /** When the caller used it last; null: not lately. */
  readonly date_last: string | null;
}

/** As many as there are digits from 1 to 9. */
export const QUICK_CONNECT_MOST = 9;
