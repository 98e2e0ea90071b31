/** Query key of the assets on the start page. */
export const QUICK_CONNECT_KEY = ['quick-connect'];
