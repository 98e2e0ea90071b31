import { say } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as decide } from '../../web/src/console/features/tickets/decide/words.ts';
import { endWords, words } from '../../web/src/terminal/session/words.ts';
import { problemsAndOtherTheme } from '../harness/axe.ts';
import { buildGranted } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn, signInByForm } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useStage();

journey(
  'opens a terminal after a reviewer has read the reason and approved it, and none after a rejection',
  async (open, { admin, sshd }) => {
    const { person, asset, rule } = await buildGranted(admin, sshd);
    await admin.patch(`perms/asset-permissions/${rule.id}/`, { needs_approval: true });
    const visitor = await open({ language: 'en' });
    await signInByForm(visitor, person, '/luna/');
    const reviewer = await open({ language: 'zh' });
    const tickets = new ConsolePage(reviewer);
    const ask = async (reason: string) => {
      const terminal = await connectTo(visitor.page, 'en', asset);
      const field = visitor.page.getByLabel(words.reasonLabel.en);
      await field.waitFor();
      await field.fill(reason);
      await visitor.page.getByRole('button', { name: words.sendReason.en, exact: true }).click();
      return terminal;
    };
    const decideOn = (action: keyof typeof decide) =>
      tickets
        .row(asset.name)
        .getByRole('button', { name: `${tickets.say(decide[action])} `, exact: false });

    await connectTo(visitor.page, 'en', asset);
    await visitor.page.getByText(say(words.reasonTitle, 'en', { host: asset.name })).waitFor();
    expect(await problemsAndOtherTheme(visitor.page, 'the reason of a connection')).toEqual([]);
    const terminal = await ask('The disk is full.');
    await visitor.page.getByText(words.stageApproval.en).waitFor();
    await signIn(reviewer, ADMIN, '/ui/tickets/tickets');
    await tickets.row(asset.name).getByRole('link').first().click();
    await reviewer.page.getByText('The disk is full.', { exact: false }).first().waitFor();
    expect(await problemsAndOtherTheme(reviewer.page, 'the ticket of a connection')).toEqual([]);
    await reviewer.page.goBack();
    await decideOn('approve').first().click();
    await tickets.dialog
      .getByRole('button', { name: tickets.say(decide.approve), exact: true })
      .click();
    await tickets.notified(decide.approved);
    await terminal.ready();
    await terminal.run('echo approved-$((1+1))');
    await terminal.shows('approved-2');
    await terminal.run('exit');

    await ask('Once more.');
    await visitor.page.getByText(words.stageApproval.en).waitFor();
    // The page says that it waits while the server still makes the ticket.
    let id: string | undefined;
    await expect
      .poll(async () => {
        const { body } = await admin.get<{ id: string; title: string }[]>(
          'tickets/tickets/?status=open',
        );
        id = body.find(({ title }) => title.includes(asset.name))?.id;
        return id;
      })
      .toBeDefined();
    await admin.patch(`tickets/tickets/${id}/`, { action: 'reject' });
    await visitor.page.getByText(endWords.approvalTitle.en).first().waitFor();
    expect(await problemsAndOtherTheme(visitor.page, 'a rejected connection')).toEqual([]);
  },
);
