import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render-page.tsx';
import { TabbedPage } from './TabbedPage.tsx';

const section = (name: string) => ({
  name,
  label: `Label of ${name}`,
  render: () => <p>{`Content of ${name}`}</p>,
});
const page = (
  <TabbedPage
    tabs={[
      { name: 'Account', label: 'Account', sections: [section('Info'), section('Setting')] },
      {
        name: 'Keys',
        label: 'Keys',
        sections: [section('SSH'), { ...section('API'), formerly: ['Tokens'] }],
      },
      { name: 'Own', label: 'Preferences', sections: [section('Preferences')] },
    ]}
  />
);

it('opens the tab of the section in the address', async () => {
  await renderPage(page, { path: '/users/profile?activeTab=API' });
  await screen.findByText('Content of API');
  for (const name of ['Keys', 'Label of API'])
    expect(screen.getByRole('tab', { name }).getAttribute('aria-selected')).toBe('true');
  expect(screen.queryByText('Content of SSH')).toBeNull();
});

it('opens a section by an earlier name in the address', async () => {
  await renderPage(page, { path: '/users/profile?activeTab=Tokens' });
  await screen.findByText('Content of API');
});

it('switches tabs and sections, each with its address; shows no section row for a single section', async () => {
  const { router } = await renderPage(page, { path: '/users/profile?activeTab=Info' });
  fireEvent.click(screen.getByRole('tab', { name: 'Keys' }));
  await screen.findByText('Content of SSH');
  fireEvent.click(screen.getByRole('tab', { name: 'Label of API' }));
  await waitFor(() => expect(router.state.location.search).toEqual({ activeTab: 'API' }));
  fireEvent.click(screen.getByRole('tab', { name: 'Preferences' }));
  await screen.findByText('Content of Preferences');
  expect(screen.queryByRole('tab', { name: 'Label of Preferences' })).toBeNull();
});
