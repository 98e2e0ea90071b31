import { asset } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { words as bulk } from '../../web/src/console/resource/bulk/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { csvFile, transferPage } from '../pages/transfer-page.ts';

const { journey } = useStage();

/** Returns the faults that axe finds on screen, and reports a page wider than its window. */
async function faultsOf(page: Page, where: string): Promise<string[]> {
  const wider = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  // The whole journey has one theme, so check the page without switching.
  return [
    ...(await problemsOf(page, where, ['light'])),
    ...(wider > 0 ? [`${where}: ${wider} pixels too wide`] : []),
  ];
}

for (const [theme, language, width] of [
  ['light', 'zh', 1440],
  ['dark', 'en', 390],
] as const) {
  journey(
    `provides names, labels and keyboard access in the dialogs of a list (${theme}, ${language}, ${width})`,
    async (open, { admin }) => {
      const name = unique('reachable');
      await admin.post('assets/assets/', {
        hostname: name,
        ip: '192.0.2.8',
        protocols: ['ssh/22'],
        platform: 'Linux',
      });
      const visitor = await open({ theme, language, size: { width, height: 844 } });
      const { page } = visitor;
      const view = new ConsolePage(visitor);
      const transfer = transferPage(visitor);
      const faults: string[] = [];
      const checkPage = async (where: string) => faults.push(...(await faultsOf(page, where)));
      const leave = async () => {
        await page.keyboard.press('Escape');
        await view.dialog.waitFor({ state: 'detached' });
      };
      await signIn(visitor, ADMIN, `/ui/assets/assets?search=${name}`);
      await view.row(name).getByRole('checkbox').check();
      if (width < 768) await view.button(list.tools).click();
      await checkPage('list');

      visitor.watch.allow(/^400 POST \/api\/v1\/assets\/assets\//);
      await transfer.openImport();
      await transfer.choose(
        csvFile(
          'hostname,ip,platform,protocols\nok,192.0.2.1,Linux,ssh/22\n,bad ip,Nope,ssh/99999\n',
        ),
      );
      await view.dialog.getByRole('table').waitFor();
      await checkPage('import');
      await leave();
      await view.button(list.export).click();
      await view.dialog.getByRole('radiogroup').first().waitFor();
      await checkPage('export');
      await leave();
      await view.button(list.moreActions).click();
      await page.getByRole('menuitem', { name: view.say(bulk.updateSelected) }).click();
      for (const { label } of [asset.fields.platform, asset.fields.labels, asset.fields.comment])
        await view.dialog.getByRole('checkbox', { name: view.say(label), exact: true }).check();
      await checkPage('bulk update');
      await leave();
      await view.button(list.advancedFilter).click();
      await view.dialog.getByRole('combobox').first().waitFor();
      await checkPage('advanced filter');
      await leave();
      await view.button(list.columns).click();
      await page
        .getByRole('checkbox', { name: view.say(asset.fields.comment.label), exact: true })
        .waitFor();
      await checkPage('columns');
      expect(faults).toEqual([]);
    },
  );
}
