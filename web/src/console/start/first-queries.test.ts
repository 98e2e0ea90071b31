import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { firstQueries } from './first-queries.ts';

/** A query that the test answers. */
function ask(client: QueryClient, key: string) {
  const { promise, resolve } = Promise.withResolvers<number>();
  const done = client.fetchQuery({ queryKey: [key], queryFn: () => promise });
  return () => {
    resolve(1);
    return done;
  };
}

it('waits for the answers of all open queries', async () => {
  const client = new QueryClient();
  const seen: string[] = [];
  const waiting = firstQueries(client, 60_000).then(() => seen.push('free'));
  const [rows, tree] = [ask(client, 'rows'), ask(client, 'tree')];
  await rows().then(() => seen.push('rows'));
  await tree().then(() => seen.push('tree'));
  await waiting;
  expect(seen.toSorted()).toEqual(['free', 'rows', 'tree']);
  expect(seen.indexOf('free')).toBeGreaterThan(seen.indexOf('rows'));
});

it('does not wait longer than its limit, for a page that queries nothing', async () => {
  await expect(firstQueries(new QueryClient(), 1)).resolves.toBeUndefined();
});
