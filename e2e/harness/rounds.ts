import type { Page } from 'playwright-core';

/** What is asked for after a page is shown, for its own sake: whether somebody is still signed in, what happens live, what keeps the page fresh. */
const BESIDE = /\/api\/health\/|\/ws\//;

/** A request follows from another one when it begins so soon after that one's answer. */
const FOLLOWS_WITHIN_MILLISECONDS = 250;

/**
 * The longest chain of requests to the server that a page waited for, each of which began when the one before was answered; their addresses.
 * Call this when the page is complete.
 */
export async function roundsOf(page: Page): Promise<readonly string[]> {
  const requests = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((entry) => new URL(entry.name).pathname.startsWith('/api/'))
      .map((entry) => ({ address: entry.name, start: entry.startTime, end: (entry as PerformanceResourceTiming).responseEnd })),
  );
  const sorted = requests.filter(({ address }) => !BESIDE.test(address)).toSorted((one, other) => one.start - other.start);
  const chains: (readonly string[])[] = [];
  sorted.forEach(({ address, start }, index) => {
    const before = sorted
      .slice(0, index)
      .flatMap(({ end }, earlier) => (end <= start && start - end < FOLLOWS_WITHIN_MILLISECONDS ? [chains[earlier] ?? []] : []));
    const { pathname } = new URL(address);
    chains.push([...(before.toSorted((one, other) => other.length - one.length)[0] ?? []), pathname]);
  });
  return chains.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

/** What a page should not do: wait for an answer that is asked for after two others. */
export async function lateRounds(page: Page, where: string): Promise<string[]> {
  const rounds = await roundsOf(page);
  return rounds.length > MOST_ROUNDS ? [`${where}: ${rounds.length} rounds of requests: ${rounds.join(' → ')}`] : [];
}

/** One for who is there, one for what the page shows. */
const MOST_ROUNDS = 2;
