import { createHash } from 'node:crypto';

/** Returns the same UUID for the same text, so that a second import finds its objects. */
export function derivedId(text: string): string {
  const hex = createHash('sha256').update(`sallyport import ${text}`).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
