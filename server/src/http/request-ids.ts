import { randomBytes } from 'node:crypto';

/** Names requests: in their log lines and in the header `X-Request-Id` of their answers. No two starts give the same names. */
export function createRequestIds(): () => string {
  const start = randomBytes(5).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${start}-${count.toString(36)}`;
  };
}
