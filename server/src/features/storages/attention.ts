import { Permission, terminal } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { type Attention, attentionNames, attentionRows } from '../../resources/attention.ts';
import { recordingsOnDisks } from './recording-homes.ts';
import { TERMINAL_ATTENTION } from './terminal-hooks.ts';

const name = sql`t.name`;

export const storageAttention: Attention = {
  rows: {
    failing_storages: {
      resource: terminal,
      search: attentionRows('terminal', TERMINAL_ATTENTION.failing_storages, { name }),
    },
    failed_canaries: {
      resource: terminal,
      search: attentionRows('terminal', TERMINAL_ATTENTION.failed_canaries, {
        name,
        date: sql`t.canary_date`,
      }),
    },
  },
  facts: {
    kinds: ['recordings_on_disks'],
    access: Permission.SUPER,
    read: async (db) => [['recordings_on_disks', attentionNames(await recordingsOnDisks(db))]],
  },
};
