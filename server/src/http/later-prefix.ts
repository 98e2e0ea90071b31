/** Base path of the reads of versions 3 and 4: `{base}/api/v1/…` works for their clients. */
export const LATER_PREFIX = '/v4';

/** Returns an address, and its copy for clients of versions 3 and 4. */
export const withLaterPrefix = (url: string): readonly string[] => [url, `${LATER_PREFIX}${url}`];
