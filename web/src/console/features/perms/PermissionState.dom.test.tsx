import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../../testing/render-page.tsx';
import { PermissionState } from './PermissionState.tsx';

const FAR = '2096-01-01 00:00:00 +0000';
const PAST = '2001-01-01 00:00:00 +0000';

it.each([
  ['有效', { users_amount: 1, user_groups_amount: 0 }, 1, {}],
  ['有效', { users_amount: 0, user_groups_amount: 2 }, 3, {}],
  ['未授予访问', { users_amount: 0, user_groups_amount: 0 }, 3, {}],
  ['未授予访问', { users_amount: 1, user_groups_amount: 1 }, 0, {}],
  ['已禁用', { users_amount: 0, user_groups_amount: 0 }, 0, { is_active: false }],
  ['过期', { users_amount: 0, user_groups_amount: 0 }, 0, { date_expired: PAST }],
  ['生效', { users_amount: 0, user_groups_amount: 0 }, 0, { date_start: FAR, date_expired: null }],
])('says %s for %o and %i targets', async (text, amounts, targets, terms) => {
  await renderPage(
    <PermissionState
      of={{ is_active: true, date_start: PAST, date_expired: FAR, ...amounts, ...terms }}
      targets={targets}
    />,
  );
  expect(screen.getByText(text, { exact: false })).toBeTruthy();
});
