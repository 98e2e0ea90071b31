import { assetPermission, say } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as decide } from '../../web/src/console/features/tickets/decide/words.ts';
import { words as forms } from '../../web/src/console/resource/form/words.ts';
import { words } from '../../web/src/terminal/session/words.ts';
import { problemsAndOtherTheme } from '../harness/axe.ts';
import { buildGranted, buildPerson, create, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn, signInByForm } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useStage();

journey(
  'opens a terminal after a group and then another reviewer approved it, and says which stage it waits for',
  async (open, { admin, sshd }) => {
    const { person, asset, rule } = await buildGranted(admin, sshd);
    const [lead, owner] = [await buildPerson(admin), await buildPerson(admin)];
    const name = unique('reviewers');
    const group = await create(admin, 'users/groups/', { name, users: [lead.id] });
    await admin.patch(`perms/asset-permissions/${rule.id}/`, {
      needs_approval: true,
      approver_groups: [group],
      approval_stages: 2,
      second_approvers: [owner.id],
    });

    const administrator = await open({ language: 'zh' });
    const form = new ConsolePage(administrator);
    await signIn(administrator, ADMIN, `/ui/perms/asset-permission/${rule.id}/update`);
    const { fields } = assetPermission;
    const label = (field: keyof typeof fields) => say(fields[field].label, 'zh');
    await form.unfold(forms.moreOptions);
    await form.main.getByText(name, { exact: true }).waitFor();
    for (const field of ['approver_groups', 'second_approvers', 'second_approver_groups'] as const)
      await form.main.getByText(label(field), { exact: true }).first().waitFor();
    expect(await form.main.getByText(label('third_approvers'), { exact: true }).count()).toBe(0);
    expect(await problemsAndOtherTheme(administrator.page, 'the stages of a permission')).toEqual(
      [],
    );

    const visitor = await open({ language: 'en' });
    await signInByForm(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, 'en', asset);
    await visitor.page.getByLabel(words.reasonLabel.en).fill('The disk is full.');
    await visitor.page.getByRole('button', { name: words.sendReason.en, exact: true }).click();
    const stage = (number: number) => say(words.stageProgress, 'en', { stage: number, stages: 2 });
    await visitor.page.getByText(stage(1)).waitFor();
    expect(await problemsAndOtherTheme(visitor.page, 'the first stage of an approval')).toEqual([]);

    for (const [index, reviewer] of [lead, owner].entries()) {
      const by = await open({ language: 'zh' });
      const tickets = new ConsolePage(by);
      await signIn(by, reviewer, '/ui/tickets/tickets');
      await tickets.row(asset.name).getByRole('link').first().click();
      const openStage = say(decide.stageOf, 'zh', { stage: index + 1, stages: 2 });
      await by.page.getByText(openStage, { exact: false }).waitFor();
      if (index === 1) {
        await by.page.getByText(lead.username, { exact: false }).first().waitFor();
        expect(await problemsAndOtherTheme(by.page, 'the second stage of a ticket')).toEqual([]);
      }
      await tickets.button(decide.approve).click();
      await tickets.notified(decide.approved);
      if (index === 0) await visitor.page.getByText(stage(2)).waitFor();
    }
    await terminal.ready();
    await terminal.run('echo approved-$((1+1))');
    await terminal.shows('approved-2');
    await terminal.run('exit');
  },
);
