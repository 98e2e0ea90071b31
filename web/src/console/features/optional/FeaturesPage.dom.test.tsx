import { type FeatureRow, featureOf, Role } from '@sallyport/contract';
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { FeaturesPage } from './FeaturesPage.tsx';
import { words } from './words.ts';

it('says which features are off, and which rules they leave in force', async () => {
  const rows: readonly FeatureRow[] = [
    { name: 'saml', on: true, rules: 0 },
    { name: 'change-control', on: false, rules: 2 },
  ];
  new MemoryServer().on('GET', 'common/features/', () => ({ body: rows }));
  await renderPage(<FeaturesPage />, { role: Role.SuperAuditor });
  const [saml, control] = await screen.findAllByRole('listitem');
  expect(within(saml as HTMLElement).getByText(t(words.on))).toBeTruthy();
  expect(within(saml as HTMLElement).queryByText(t(words.off))).toBeNull();
  expect(within(control as HTMLElement).getByText(t(words.off))).toBeTruthy();
  expect(control?.textContent).toContain(t(words.rules, { count: 2 }));
  expect(control?.textContent).toContain(t(featureOf('change-control').protects ?? words.on));
});
