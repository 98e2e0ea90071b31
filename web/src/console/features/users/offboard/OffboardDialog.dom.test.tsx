import type { OffboardingFacts, OffboardingPlan, OffboardingResult } from '@sallyport/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { common, t } from '../../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../../testing/memory-server.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { OffboardDialog } from './OffboardDialog.tsx';
import { words } from './words.ts';

const PATH = 'users/users/7/offboarding/';
const FACTS: OffboardingFacts = {
  sign_ins: 2,
  access_keys: 3,
  public_key: true,
  sessions: { count: 1, names: ['web-1'] },
  groups: { count: 1, names: ['Operations'] },
  permissions: { count: 2, names: ['Shop', 'Bank'] },
};
const PLAN: OffboardingPlan = {
  user: 'Li Wei(li.wei)',
  facts: FACTS,
  accounts: [
    {
      id: 'a1',
      name: 'deploy',
      username: 'deploy',
      protocol: 'ssh',
      organization: '',
      date_last: null,
    },
  ],
  refusals: { disable: null, remove: null },
  may_remove_key: true,
};

async function show(plan: OffboardingPlan, result?: OffboardingResult) {
  const closed: boolean[] = [];
  const server = new MemoryServer().on('GET', PATH, () => ({ body: plan }));
  server.on('POST', PATH, () =>
    result
      ? { body: result }
      : { status: 403, body: { code: 'object_protected', detail: 'You can’t change this.' } },
  );
  await renderPage(
    <OffboardDialog id="7" name="Li Wei" onClose={(removed) => closed.push(removed)} />,
  );
  await screen.findByRole('textbox', { name: new RegExp(t(words.reason).slice(0, 6)) });
  return { server, closed };
}
const confirm = () => fireEvent.click(screen.getByRole('button', { name: t(words.confirm) }));
const reason = (text: string) =>
  fireEvent.change(screen.getByRole('textbox'), { target: { value: text } });

it('shows the consequences, sends the chosen options with the reason, and lists the results', async () => {
  const { server, closed } = await show(PLAN, {
    way: 'disable',
    done: { ...FACTS, permissions: { count: 0, names: [] } },
    accounts: PLAN.accounts,
  });
  const follows = within(screen.getByRole('region', { name: t(words.follows) }));
  follows.getByText(t(words.signIns, { count: 2 }));
  follows.getByText(t(words.sessions, { count: 1, names: 'web-1' }));
  confirm();
  await screen.findByText(t(common.required));
  expect(server.bodies('POST', PATH)).toEqual([]);
  fireEvent.click(
    screen.getByRole('checkbox', {
      name: t(words.alsoPermissions, { count: 2, names: 'Shop, Bank' }),
    }),
  );
  reason('Left');
  confirm();
  await screen.findByText(t(words.wasDisabled));
  expect(server.bodies('POST', PATH)).toEqual([
    { way: 'disable', reason: 'Left', public_key: true, groups: true, permissions: false },
  ]);
  screen.getByRole('link', { name: `${t(words.change)}: deploy` });
  fireEvent.click(screen.getAllByRole('button', { name: t(common.close) }).at(-1) ?? document.body);
  expect(closed).toEqual([false]);
});

it('offers only permitted options, and keeps the input when the server refuses', async () => {
  await show({ ...PLAN, refusals: { disable: 'Not here.', remove: null }, may_remove_key: false });
  expect(screen.getByRole<HTMLInputElement>('radio', { name: t(words.disable) }).disabled).toBe(
    true,
  );
  screen.getByText('Not here.');
  expect(screen.queryByRole('checkbox', { name: t(words.alsoKey) })).toBeNull();
  for (const box of screen.getAllByRole<HTMLInputElement>('checkbox'))
    expect([box.checked, box.disabled]).toEqual([true, true]);
  reason('Left');
  confirm();
  await screen.findByText('You can’t change this.');
  await waitFor(() => expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('Left'));
});
