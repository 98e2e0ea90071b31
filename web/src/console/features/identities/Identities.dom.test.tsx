import type { LinkedIdentities } from '@sallyport/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { common, t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { UserIdentities } from './Identities.tsx';
import { words } from './words.ts';

const PATH = 'users/users/7/identities/';
const SAML = {
  source: 'saml',
  issuer: 'https://login.example.com',
  subject: 'li.wei',
  date_created: '2026-01-01 08:30:00 +0800',
  date_used: '2026-01-31 08:30:00 +0800',
  is_last_way: true,
} as const;
const LINKED: LinkedIdentities = { identities: [SAML], sign_ins: 2, access_keys: 1, sessions: 0 };

async function show(
  linked: LinkedIdentities,
  answer: { readonly status: number; readonly body: object },
) {
  let ended = 0;
  const server = new MemoryServer().on('GET', PATH, () => ({ body: linked }));
  server.on('POST', `${PATH}end/`, () => answer);
  await renderPage(
    <UserIdentities id="7" name="Li Wei" email="li.wei@example.com" onEnded={() => ended++} />,
  );
  fireEvent.click(await screen.findByRole('button', { name: `${t(words.end)}: SAML li.wei` }));
  return { server, dialog: within(await screen.findByRole('dialog')), ended: () => ended };
}

it('shows the consequences, and asks for another way to sign in if the identity is the last one', async () => {
  const { server, dialog, ended } = await show(LINKED, { status: 204, body: {} });
  dialog.getByText(t(words.endsSignIns, { count: 2 }));
  dialog.getByText(t(words.endsKeys, { count: 1 }));
  expect(dialog.queryByText(t(words.endsSessions, { count: 0 }))).toBeNull();
  fireEvent.click(dialog.getByRole('radio', { name: t(words.password) }));
  fireEvent.click(dialog.getByRole('button', { name: t(words.end) }));
  await dialog.findByText(t(common.required));
  expect(server.bodies('POST', `${PATH}end/`)).toEqual([]);
  fireEvent.click(
    dialog.getByRole('radio', { name: t(words.link, { email: 'li.wei@example.com' }) }),
  );
  fireEvent.click(dialog.getByRole('button', { name: t(words.end) }));
  await waitFor(() => expect(ended()).toBe(1));
  expect(server.bodies('POST', `${PATH}end/`)).toEqual([
    { source: 'saml', issuer: SAML.issuer, way: 'link' },
  ]);
});

it('asks nothing if another way to sign in is left, and shows why the server refuses', async () => {
  const refusal = {
    status: 400,
    body: { code: 'no_mail_address', detail: 'There is no address.' },
  };
  const { dialog, ended } = await show(
    { ...LINKED, identities: [{ ...SAML, is_last_way: false }] },
    refusal,
  );
  expect(dialog.queryByRole('radio')).toBeNull();
  fireEvent.click(dialog.getByRole('button', { name: t(words.end) }));
  await dialog.findByText('There is no address.');
  expect(ended()).toBe(0);
});
