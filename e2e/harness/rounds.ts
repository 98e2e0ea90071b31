import type { Page } from 'playwright-core';

/** Requests that run independently of the page. */
const BACKGROUND_PATH = '/api/health/';

/** Answers come so late that what a page does between them takes no time in comparison. */
const LATE_MILLISECONDS = 800;

/**
 * Opens a page with delayed answers and sorts its requests into rounds. Requests of one round began
 * together; each round needed an answer of the previous round.
 */
export async function roundsOf(
  page: Page,
  address: string,
): Promise<readonly (readonly string[])[]> {
  const rounds: { readonly start: number; readonly paths: string[] }[] = [];
  await page.route('**/api/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname !== BACKGROUND_PATH) {
      const last = rounds.at(-1);
      if (last && Date.now() - last.start < LATE_MILLISECONDS) last.paths.push(pathname);
      else rounds.push({ start: Date.now(), paths: [pathname] });
    }
    await new Promise((settle) => setTimeout(settle, LATE_MILLISECONDS));
    await route.continue().catch(() => undefined);
  });
  await page.goto(address);
  await page.getByRole('main').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.unroute('**/api/**');
  return rounds.map(({ paths }) => paths);
}

/**
 * Reports a page that waits for more than two rounds, not counting the first, which identifies the
 * user.
 */
export async function lateRounds(page: Page, where: string, address: string): Promise<string[]> {
  const rounds = await roundsOf(page, address);
  return rounds.length > MOST_ROUNDS
    ? [
        `${where}: ${rounds.length} rounds of requests: ${rounds.map((paths) => paths.join(', ')).join(' → ')}`,
      ]
    : [];
}

const MOST_ROUNDS = 3;
