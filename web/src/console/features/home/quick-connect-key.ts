/** The assets of the start page in the data cache. */
export const QUICK_CONNECT_KEY = ['quick-connect'];
