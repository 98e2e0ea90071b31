import { lostChange } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { type Attention, attentionRows } from '../../resources/attention.ts';
import { LOST_CHANGE_ATTENTION } from './store.ts';

export const lostChangeAttention: Attention = {
  rows: {
    lost_changes: {
      resource: lostChange,
      search: attentionRows('lost_change', LOST_CHANGE_ATTENTION.lost_changes, {
        name: sql`t.resource`,
        date: sql`t.datetime`,
      }),
    },
  },
};
