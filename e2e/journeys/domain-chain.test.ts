import { domain } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as reach } from '../../web/src/console/features/assets/reach/words.ts';
import { words } from '../../web/src/console/features/assets/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsOf } from '../harness/axe.ts';
import {
  buildAsset,
  buildPermission,
  buildPerson,
  buildSystemUser,
  create,
  unique,
} from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { heardMessage } from '../harness/messages.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey(
  'puts a domain behind another one, tests its gateway, and opens a terminal through both',
  async (open, { admin, sshd }) => {
    const [outer, inner] = [unique('outer'), unique('inner')];
    const outerId = await create(admin, 'assets/domains/', { name: outer });
    const innerId = await create(admin, 'assets/domains/', { name: inner });
    const addGateway = async (parent: string) => {
      const name = unique('gateway');
      const id = await create(admin, 'assets/gateways/', {
        name,
        domain: parent,
        ip: sshd.host,
        port: sshd.port,
        username: sshd.username,
        private_key: sshd.privateKey,
      });
      return { id, name };
    };
    const { id: first } = await addGateway(outerId);
    const { name: last } = await addGateway(innerId);
    const [person, asset, account] = await Promise.all([
      buildPerson(admin),
      buildAsset(admin, sshd, { domain: innerId }),
      buildSystemUser(admin, sshd),
    ]);
    await buildPermission(admin, [person], [asset], [account]);

    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/domains/${innerId}/update`);
    await view.choose(domain.fields.through.label, outer);
    await view.submit();
    await heardMessage(page, view.say(common.updateSuccess));
    await page.goto(`/ui/assets/domains/${innerId}`);
    await view.main.getByRole('link', { name: outer }).waitFor();
    await view.main.getByRole('tab', { name: view.say(words.gateways), exact: true }).click();
    await view
      .row(last)
      .getByRole('button', { name: new RegExp(view.say(common.more)) })
      .click();
    await page.getByRole('menuitem', { name: view.say(words.testGateway) }).click();
    await heardMessage(page, view.say(words.gatewayWorks, { name: last }));
    expect(await problemsOf(page, 'gateways of a domain')).toEqual([]);

    const worker = await open({ language });
    await signIn(worker, person, '/luna/');
    const terminal = await connectTo(worker.page, language, asset);
    await terminal.ready();
    await terminal.run('echo through-$((40+2))');
    await terminal.shows('through-42');

    // The page of the asset draws the way: users, bastion, both domains in order, asset.
    await page.goto(`/ui/assets/assets/${asset.id}`);
    const way = view.main.getByRole('region', { name: view.say(reach.title) });
    await way.getByText(inner).waitFor();
    const stops = await way.getByRole('listitem').allInnerTexts();
    expect(stops.map((stop) => stop.split('\n')[0])).toEqual([
      ...[view.say(reach.users, { count: 1 }), view.say(reach.bastion)],
      ...[outer, inner, asset.name],
    ]);
    expect(stops[3]).toContain(last);
    expect(await problemsOf(page, 'way to an asset')).toEqual([]);

    // Nothing leads to the inner domain without the outer gateway.
    await admin.patch(`assets/gateways/${first}/`, { is_active: false });
    await connectTo(worker.page, language, asset);
    await terminal.notice.first().waitFor();
    await page.reload();
    await way.getByText(view.say(reach.noGateway)).waitFor();
  },
);
