import type { ClauseReport, CompliancePresets, PresetReport } from '@sallyport/contract';
import { Role } from '@sallyport/contract';
import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { CompliancePage } from './CompliancePage.tsx';
import { words } from './words.ts';

const clause = (reference: string, state: ClauseReport['state']): ClauseReport => ({
  reference,
  title: `Title of ${reference}`,
  state,
  proofs: [
    {
      setting: 'WATERMARK',
      label: 'Watermark',
      value: 'Off',
      wanted: 'At least light',
      met: state === 'met',
    },
  ],
  built_in: '',
  organization: '',
});
const TEAM: PresetReport = {
  name: 'team',
  title: 'Team',
  note: 'For a few people.',
  values: { WATERMARK: 'light' },
  changes: [{ name: 'WATERMARK', label: 'Watermark', from: 'Off', to: 'Light' }],
  clauses: [clause('8.1.4.1 a', 'met'), clause('8.1.4.3 a', 'gap')],
};
const PRESETS: CompliancePresets = { active: '', undo: null, presets: [TEAM] };

async function show(presets: CompliancePresets, role: number = Role.SuperAdmin) {
  const server = new MemoryServer().on('GET', 'settings/presets/', () => ({ body: presets }));
  await renderPage(<CompliancePage />, { role });
  await screen.findByText('For a few people.');
  return server;
}

it('lists changes and clauses, and hides all but the gaps on request', async () => {
  await show(PRESETS);
  expect(screen.getByText(t(words.fromTo, { from: 'Off', to: 'Light' }))).toBeTruthy();
  expect(screen.getByText('Title of 8.1.4.1 a')).toBeTruthy();
  fireEvent.click(screen.getByRole('switch', { name: t(words.gapsOnly) }));
  expect(screen.queryByText('Title of 8.1.4.1 a')).toBeNull();
  expect(screen.getByText('Title of 8.1.4.3 a')).toBeTruthy();
});

it('links the report in both languages', async () => {
  await show(PRESETS);
  for (const [label, language] of [
    [words.english, 'en'],
    [words.chinese, 'zh'],
  ] as const) {
    const link = screen.getByRole('link', { name: t(words.reportIn, { language: t(label) }) });
    expect(link.getAttribute('href')).toContain(`preset=team&language=${language}`);
  }
});

it('offers no change to auditors', async () => {
  const undo = { date: '2026-11-27 10:00:00 +0800', user: 'Li Wei', preset: '', values: {} };
  await show({ ...PRESETS, active: 'team', undo }, Role.SuperAuditor);
  expect(screen.getByText(t(words.active))).toBeTruthy();
  for (const label of [words.apply, words.again, words.undo])
    expect(screen.queryByRole('button', { name: t(label) })).toBeNull();
});
