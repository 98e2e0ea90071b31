/** Milliseconds without a key after which a search is asked for: long enough that not each letter asks. */
export const SEARCH_DELAY = 250;
