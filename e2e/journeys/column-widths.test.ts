import { expect } from 'vitest';
import { atRest } from '../harness/at-rest.ts';
import { create, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

journey(
  'keeps 150 pixels for actions and 160 for dates while a list has room, and never overflows',
  async (open, { admin }) => {
    await create(admin, 'assets/assets/', {
      hostname: unique('wide'),
      ip: '10.0.0.3',
      platform: 'Linux',
    });
    await create(admin, 'assets/domains/', { name: unique('wide') });
    for (const width of [1440, 1280, 390]) {
      const visitor = await open({ language: 'en', size: { width, height: 800 } });
      const { page } = visitor;
      const view = new ConsolePage(visitor);
      await signIn(visitor, ADMIN, '/ui/assets/domains');
      /** Opens a list. Returns the widths of the named columns, and how far the table overflows. */
      const measure = async (path: string, ...columns: string[]) => {
        await page.goto(`/ui/${path}`);
        await view.main.locator('tr[data-row]').first().waitFor();
        await atRest(page);
        return page.evaluate((names) => {
          const table = document.querySelector('main table');
          const box = table?.parentElement;
          const heads = [...(table?.querySelectorAll<HTMLElement>('th') ?? [])];
          return {
            widths: names.map((name) =>
              Math.round(
                heads.find((head) => head.textContent?.startsWith(name))?.getBoundingClientRect()
                  .width ?? 0,
              ),
            ),
            excess: box ? box.scrollWidth - box.clientWidth : -1,
          };
        }, columns);
      };
      const domains = await measure('assets/domains', 'Actions');
      const log = await measure('audits/operate-log', 'Date');
      const assets = await measure('assets/assets', 'Actions');
      expect([width, domains.excess, log.excess, assets.excess]).toEqual([width, 0, 0, 0]);
      if (width > 1000) {
        expect([width, domains.widths, log.widths]).toEqual([width, [150], [160]]);
        // A list without room shrinks this column before it leaves out another one.
        expect(assets.widths[0]).toBeGreaterThan(90);
      }
    }
  },
);

journey(
  'gives validity the width of its text, which the default of 80 pixels would cut',
  async (open, { admin }) => {
    const asset = await create(admin, 'assets/assets/', {
      hostname: unique('valid'),
      ip: '10.0.0.4',
      platform: 'Linux',
    });
    const account = await create(admin, 'assets/system-users/', {
      name: unique('valid'),
      username: 'ops',
      protocol: 'ssh',
      login_mode: 'manual',
      auto_push: false,
    });
    const name = unique('valid');
    await create(admin, 'perms/asset-permissions/', {
      name,
      assets: [asset],
      system_users: [account],
      date_start: '2020-01-01T00:00:00Z',
      date_expired: '2020-02-03T00:00:00Z',
    });
    for (const language of ['en', 'zh'] as const) {
      const visitor = await open({ language, size: { width: 1440, height: 800 } });
      await signIn(visitor, ADMIN, `/ui/perms/asset-permissions?search=${name}`);
      const cell = new ConsolePage(visitor).main.locator('tr[data-row] td', {
        hasText: /2020.02.03/,
      });
      await cell.waitFor();
      await atRest(visitor.page);
      const { shown, needed } = await cell.evaluate((element) => ({
        shown: element.clientWidth,
        needed: element.scrollWidth,
      }));
      expect([language, needed]).toEqual([language, shown]);
      expect(shown).toBeGreaterThan(80);
    }
  },
);
