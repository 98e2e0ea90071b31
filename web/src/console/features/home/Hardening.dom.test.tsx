import { CHANGE_SET, type WaitingSetting } from '@sallyport/contract';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { Hardening } from './Hardening.tsx';
import { words } from './words.ts';

const SETTINGS = { security: { SECURITY_MFA_AUTH: false, SECURITY_PASSWORD_MIN_LENGTH: 6 } };

async function show(waiting: readonly WaitingSetting[]) {
  new MemoryServer()
    .on('GET', 'settings/setting/', () => ({ body: SETTINGS }))
    .on('GET', 'change-sets/settings/', () => ({ body: waiting }));
  await renderPage(<Hardening />);
  await screen.findByText(t(words.hardenMfa));
}
const turnOn = (title: keyof typeof words) => `${t(words.turnOn)}: ${t(words[title])}`;

it('links the change set of a setting that waits, and offers the others', async () => {
  await show([{ setting: 'SECURITY_MFA_AUTH', change_set: 'set-1', applies_at: null }]);
  const link = await screen.findByRole('link', {
    name: `${t(words.hardenWaits)}: ${t(words.hardenMfa)}`,
  });
  expect(link.getAttribute('href')).toBe(`/${CHANGE_SET.path}/set-1`);
  expect(screen.queryByRole('button', { name: turnOn('hardenMfa') })).toBeNull();
  expect(screen.getByRole('button', { name: turnOn('hardenLength') })).toBeTruthy();
});

it('shows the time from which an approved change applies', async () => {
  const date = '2026-11-28 02:00:00 +0800';
  await show([{ setting: 'SECURITY_PASSWORD_MIN_LENGTH', change_set: 'set-2', applies_at: date }]);
  const text = t(words.hardenPlanned, { date: formatDate(date) });
  await screen.findByRole('link', { name: `${text}: ${t(words.hardenLength)}` });
});
