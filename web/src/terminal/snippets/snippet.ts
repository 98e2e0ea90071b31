import type { Row, snippet } from '@sallyport/contract';

/** One snippet of the user. */
export type Snippet = Row<typeof snippet>;
