import { say, systemUser } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { OverlayHost } from '../../../kit/dialogs/overlay-host.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { FormPage } from './FormPage.tsx';
import { moreOptions } from './more-options.ts';
import { words } from './words.ts';

const { fields } = systemUser;
const ACCOUNT = { en: 'Account', zh: '账号' };
const GROUPS = [
  { title: ACCOUNT, fields: ['name', 'username'] },
  { title: { en: 'Protocol', zh: '协议' }, fields: ['protocol'] },
  moreOptions(['priority', 'comment']),
] as const;
const form = (
  <>
    <FormPage source={systemUser} groups={GROUPS} />
    <OverlayHost />
  </>
);
const PATH = { path: '/assets/system-users/create' };
const labelled = (label: { readonly zh: string; readonly en: string }) =>
  screen.getByLabelText<HTMLInputElement>(new RegExp(`^${say(label, 'zh')}`), {
    selector: 'input, textarea',
  });
/** Text that describes the button of the folded section. */
const inside = () =>
  document.getElementById(fold().getAttribute('aria-describedby') ?? '')?.textContent;
const fold = () => screen.getByRole('button', { name: t(words.moreOptions) });

it('draws a heading for several fields, and none for one field', async () => {
  new MemoryServer();
  await renderPage(form, PATH);
  expect(screen.getAllByRole('heading', { level: 2 }).map((one) => one.textContent)).toEqual([
    t(ACCOUNT),
    t(words.moreOptions),
  ]);
});

it('offers the choices that other values allow, and keeps the chosen one', async () => {
  new MemoryServer();
  const groups = [{ title: ACCOUNT, fields: ['name', 'login_mode'] }] as const;
  const offers = (mode: unknown) => mode === 'certificate';
  await renderPage(
    <FormPage source={systemUser} groups={groups} overrides={{ login_mode: { offers } }} />,
    PATH,
  );
  const labels = screen.getAllByRole('radio').map((radio) => radio.getAttribute('value'));
  expect(labels).toEqual(['auto', 'certificate']);
});

it('says what a folded section holds, and opens it to focus an invalid field', async () => {
  new MemoryServer();
  await renderPage(form, PATH);
  expect(fold().getAttribute('aria-expanded')).toBe('false');
  expect(inside()).toContain(`${say(fields.priority.label, 'zh')}：20`);
  fireEvent.change(labelled(fields.name.label), { target: { value: 'deploy' } });
  fireEvent.click(fold());
  fireEvent.change(labelled(fields.priority.label), { target: { value: '101' } });
  fireEvent.click(fold());
  expect(fold().getAttribute('aria-expanded')).toBe('false');
  fireEvent.submit(labelled(fields.name.label));
  await waitFor(() => expect(document.activeElement).toBe(labelled(fields.priority.label)));
  expect(fold().getAttribute('aria-expanded')).toBe('true');
});

it('counts the invalid fields in a message, and names the first', async () => {
  new MemoryServer();
  await renderPage(form, PATH);
  fireEvent.click(fold());
  fireEvent.change(labelled(fields.priority.label), { target: { value: '101' } });
  fireEvent.submit(labelled(fields.name.label));
  await screen.findByText(t(words.wrongFields, { count: 2, first: say(fields.name.label, 'zh') }));
});
