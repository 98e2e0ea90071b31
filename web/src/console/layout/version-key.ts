/** The key in the storage of a browser with the version that it showed last. */
export const VERSION_KEY = 'sallyport-version';
