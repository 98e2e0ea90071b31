/** Debounce of a search in milliseconds: avoids a request per keystroke. */
export const SEARCH_DELAY = 250;
