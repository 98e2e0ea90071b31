import { asset } from '@sallyport/contract';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { words } from '../../web/src/console/resource/transfer/words.ts';
import { unique } from '../harness/build.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { csvFile, transferPage } from '../pages/transfer-page.ts';
import type { Task } from './task.ts';

const ROWS = 200;
/** Lines of the file with a mistake, and the platform that they mean. */
const MISTAKES = [18, 77, 153];

/** A file of servers, of which three have a mistake. */
const importWithMistakes: Task = {
  name: `A file of ${ROWS} servers, three of them with a mistake, is imported whole (from the assets)`,
  target: 8,
  async prepare({ administrator, language }) {
    const name = unique('srv');
    const { hostname, ip, platform } = asset.fields;
    const head = [hostname, ip, platform].map(({ label }) => label[language]).join(',');
    const rows = Array.from(
      { length: ROWS },
      (_, at) => `${name}-${at},10.9.0.${at},${MISTAKES.includes(at + 2) ? 'Linuxx' : 'Linux'}`,
    );
    const visitor = await administrator('/ui/assets/assets');
    visitor.watch.allow(/^400 POST \/api\/v1\/assets\/assets\//);
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const transfer = transferPage(visitor);
    return async (hand) => {
      await hand.click(view.button(list.import));
      const chooser = page.waitForEvent('filechooser');
      await hand.click(view.dialog.getByRole('button', { name: view.say(words.chooseFile) }));
      await (await chooser).setFiles(csvFile(`${head}\r\n${rows.join('\r\n')}\r\n`));
      for (const line of MISTAKES)
        await hand.type(transfer.cell(line, platform.label[language]), 'Linux');
      await hand.click(view.dialog.getByRole('button', { name: view.say(words.checkAgain) }));
      await view.dialog.getByText(view.say(words.allGood, { count: ROWS })).waitFor();
      await hand.click(transfer.confirm());
      await page.getByText(view.say(words.createdAll, { count: ROWS })).waitFor();
    };
  },
};

/** Tasks of administrators with files. */
export const TRANSFER_TASKS: readonly Task[] = [importWithMistakes];
