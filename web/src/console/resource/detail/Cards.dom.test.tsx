import { userGroup } from '@sallyport/contract';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../../testing/render-page.tsx';
import { byWindow } from '../../base/addresses.ts';
import { DetailCard, QuickActionsCard } from './Cards.tsx';

it('leaves out facts without a value, and keeps zero and false', async () => {
  const object = { name: 'Ops', comment: '', created_by: '-', users_amount: 0, is_on: false };
  await renderPage(
    <DetailCard
      source={userGroup}
      object={object}
      facts={[
        'name',
        'comment',
        'created_by',
        'users_amount',
        'is_on',
        { name: 'none', label: userGroup.title, value: () => undefined },
      ]}
    />,
  );
  await screen.findByText('Ops');
  expect(screen.getAllByRole('term')).toHaveLength(3);
  expect(screen.getAllByRole('definition')[1]?.textContent).toBe('0');
});

it('links to another window where an action only opens it, and keeps a disabled action a button', async () => {
  const act = { key: 'replay', title: 'Replay', button: 'Go', ...byWindow('/luna/replay/1') };
  await renderPage(
    <QuickActionsCard actions={[act, { ...act, key: 'none', title: 'None', disabled: true }]} />,
  );
  const link = screen.getByRole('link', { name: 'Replay: Go' });
  expect(link.getAttribute('href')).toBe('/luna/replay/1');
  expect(link.getAttribute('target')).toBe('_blank');
  expect(link.getAttribute('rel')).toBe('noopener');
  expect(screen.getByRole('button', { name: 'None: Go' }).hasAttribute('disabled')).toBe(true);
});
