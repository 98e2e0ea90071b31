import { session } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { type Attention, type AttentionRows, attentionRows } from '../../resources/attention.ts';
import { SESSION_NAME } from '../../resources/relations/named-objects.ts';
import { SESSION_ATTENTION } from './hooks.ts';

const rowsSince = (kind: keyof typeof SESSION_ATTENTION, date = sql`t.date_start`) =>
  ({
    resource: session,
    search: attentionRows('session', SESSION_ATTENTION[kind], { name: SESSION_NAME, date }),
  }) satisfies AttentionRows;

export const sessionAttention: Attention = {
  rows: {
    waiting_sessions: rowsSince('waiting_sessions', sql`t.waits_since`),
    unrecorded_sessions: rowsSince('unrecorded_sessions'),
    unrestored_recordings: rowsSince('unrestored_recordings'),
  },
};
