import { setTimeout as sleep } from 'node:timers/promises';
import { launchBrowser, signInCookies } from './browser.ts';
import type { Client } from './http.ts';
import { grantRdp, startScrollingXrdp } from './scrolling-xrdp.ts';
import type { BenchServer } from './server.ts';

const LONGEST_MS = 120_000;

/**
 * Uses a desktop of xrdp in a browser while a terminal on it writes lines, and names the session of
 * the recording.
 */
export async function recordRdp(
  { url }: BenchServer,
  client: Client,
  lines: number,
): Promise<string> {
  const xrdp = await startScrollingXrdp(lines, ['plain']);
  const browser = await launchBrowser();
  try {
    const { asset } = await grantRdp(client, xrdp, 'plain');
    const context = await browser.newContext();
    await context.addCookies(await signInCookies(browser, url));
    const page = await context.newPage();
    await page.goto(`${url}/luna/?login_to=${asset}`);
    await waitFor('the scroll', () => xrdp.hasScrolled('plain'));
    // The last lines are on their way.
    await sleep(2_000);
    await context.close();
    let session:
      | { readonly id: string; readonly can_replay: boolean; readonly is_finished: boolean }
      | undefined;
    await waitFor('the recording', async () => {
      const { results } = await client.get<{ results: (typeof session & object)[] }>(
        'terminal/sessions/?limit=1&protocol=rdp',
      );
      session = results[0];
      return session?.is_finished === true && session.can_replay;
    });
    return session?.id ?? '';
  } finally {
    await browser.close();
    await xrdp.stop();
  }
}

async function waitFor(what: string, isThere: () => Promise<boolean>): Promise<void> {
  for (const from = performance.now(); !(await isThere()); await sleep(200))
    if (performance.now() - from > LONGEST_MS) throw new Error(`${what} did not come`);
}
