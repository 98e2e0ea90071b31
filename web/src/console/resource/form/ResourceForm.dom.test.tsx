import { user } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { common, t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { FormPage } from './FormPage.tsx';

const GROUPS = [
  {
    title: common.basicInfo,
    fields: ['name', 'username', 'email', 'password_strategy', 'comment'],
  },
] as const;

it('focuses the first invalid field after a rejection, including a group of choices, also when submitted from a field', async () => {
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
  new MemoryServer().on('POST', 'users/users/', () => ({
    status: 400,
    body: { password_strategy: ['no mail server'], comment: ['too long'] },
  }));
  await renderPage(
    <FormPage source={user} groups={GROUPS} initial={{ password_strategy: 0, source: 'local' }} />,
    { path: '/users/users/create' },
  );
  const field = (label: RegExp) => screen.findByRole('textbox', { name: label });
  const name = await field(/^名称/);
  fireEvent.change(name, { target: { value: 'Li' } });
  fireEvent.change(await field(/^用户名/), { target: { value: 'li' } });
  fireEvent.change(await field(/^邮箱/), { target: { value: 'li@example.com' } });
  name.focus();
  fireEvent.keyDown(name, { key: 'Enter', ctrlKey: true });
  await screen.findByText('no mail server');
  const group = screen.getByRole('radiogroup');
  await waitFor(() => expect(group.contains(document.activeElement)).toBe(true));
  expect(document.activeElement).toBe(group.querySelector('input:checked'));
  expect(
    scrolled.mock.contexts.some(
      (element) => element instanceof HTMLElement && element.contains(group),
    ),
  ).toBe(true);
  scrolled.mockRestore();
});

it('focuses the first required field that is blank', async () => {
  new MemoryServer();
  await renderPage(<FormPage source={user} groups={GROUPS} />, { path: '/users/users/create' });
  fireEvent.click(await screen.findByRole('button', { name: t(common.submit) }));
  const name = await screen.findByRole('textbox', { name: /^名称/ });
  await waitFor(() => expect(document.activeElement).toBe(name));
});
