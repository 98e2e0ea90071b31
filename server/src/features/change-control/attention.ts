import { Permission } from '@sallyport/contract';
import type { Attention } from '../../resources/attention.ts';
import { waitingSets } from './store.ts';

export const changeSetAttention: Attention = {
  facts: {
    kinds: ['waiting_change_sets'],
    access: Permission.ADMIN,
    read: async (db, { organization, userId }) => [
      ['waiting_change_sets', await waitingSets(organization.id, userId, db)],
    ],
  },
};
