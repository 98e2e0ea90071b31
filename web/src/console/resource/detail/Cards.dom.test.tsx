import { userGroup } from '@sallyport/contract';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../../testing/render-page.tsx';
import { DetailCard } from './Cards.tsx';

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
