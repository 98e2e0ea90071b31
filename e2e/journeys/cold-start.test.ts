import { expect } from 'vitest';
import { VERSION_KEY } from '../../web/src/console/layout/version-key.ts';
import { atRest } from '../harness/at-rest.ts';
import { buildGranted } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

/** Lists whose first rows are requested before their code has loaded. */
const LISTS = [
  ...['assets/assets', 'assets/domains', 'assets/admin-users', 'assets/system-users'],
  ...['assets/labels', 'assets/cmd-filters', 'users/users', 'users/groups'],
];

const MOST_REQUESTS = 40;
/** Parts that load seconds after the frame; on a slow machine that is before the rows. */
const LATE = /HeaderNews|OpenEmergencies|notifications|emergency|\/ws\//;
const MOST_BYTES = 300 * 1024;

journey(
  'shows the first assets of an empty cache after 40 requests and 300 KiB',
  async (open, { admin, sshd }) => {
    const { asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    const { page, context } = visitor;
    await signIn(visitor, ADMIN, '/ui/assets/assets');
    await page.getByText(asset.name, { exact: true }).first().waitFor();
    await atRest(page);
    await page.goto('about:blank');

    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.clearBrowserCache');
    const sent: string[] = [];
    let bytes = 0;
    network.on('Network.requestWillBeSent', ({ request }) => sent.push(request.url));
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    // As if this browser had never loaded the font.
    await context.addInitScript(() => localStorage.removeItem('sallyport-font'));
    await page.goto('/ui/assets/assets', { waitUntil: 'commit' });
    // A pointer that rests on a link loads the page behind it; the browser starts it at the mark.
    await page.mouse.move(1438, 898);
    await page.getByText(asset.name, { exact: true }).first().waitFor();
    const before = { requests: sent.filter((url) => !LATE.test(url)), bytes };
    expect(before.requests.length, sent.join('\n')).toBeLessThanOrEqual(MOST_REQUESTS);
    expect(before.bytes).toBeLessThanOrEqual(MOST_BYTES);
    expect(before.bytes).toBeGreaterThan(100 * 1024);

    // One request answers the guard.
    const paths = sent.map((url) => new URL(url).pathname).filter((path) => /^\/api\//.test(path));
    expect(paths.slice(0, 2)).toEqual(['/api/v1/users/profile/start/', '/api/v1/assets/assets/']);
    expect(paths).not.toContain('/api/v1/settings/public/');
  },
);

journey(
  'requests the first rows of a list once, and those of an address with a search',
  async (open) => {
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/labels');
    await view.heading.waitFor();
    await atRest(page);
    const rows: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (searchParams.has('limit')) rows.push(`${pathname} ${searchParams.get('search') ?? ''}`);
    });
    for (const path of LISTS) {
      rows.length = 0;
      await page.goto(`/ui/${path}`);
      await view.heading.waitFor();
      await atRest(page);
      const list = `/api/v1/${path}/ `;
      expect(rows.filter((row) => row === list)).toEqual([list]);
    }
    rows.length = 0;
    await page.goto('/ui/assets/labels?search=none');
    await view.heading.waitFor();
    await atRest(page);
    expect(rows).toEqual(['/api/v1/assets/labels/ none']);
  },
);

journey(
  'tells once after an upgrade what is new, and tells a new browser nothing',
  async (open) => {
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, ADMIN, '/ui/assets/labels');
    const offer = page.getByText(/^This server was upgraded to \d/);
    const version = () => page.evaluate((key) => localStorage.getItem(key), VERSION_KEY);
    await expect.poll(version, { timeout: 60_000 }).toMatch(/^\d/);
    const now = await version();
    expect(await offer.count()).toBe(0);
    await page.evaluate((key) => localStorage.setItem(key, '2.0.9'), VERSION_KEY);
    await page.reload();
    await offer.waitFor();
    expect(await version()).toBe(now);
    await page.getByRole('button', { name: 'What is new', exact: true }).click();
    await page.waitForURL(/guide=news/);
    await page.getByRole('heading', { level: 2, name: String(now), exact: true }).waitFor();
  },
);
