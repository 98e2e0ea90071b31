import { alert } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import type { Attention } from '../../resources/attention.ts';
import { ALERT_ATTENTION } from './store.ts';

export const alertAttention: Attention = {
  rows: {
    unseen_alerts: {
      resource: alert,
      search: (scope) => sql`
        select null::text as id, t."user" as name, null::int as amount, t.datetime as date
        from alert t where ${ALERT_ATTENTION.unseen_alerts()} and ${scope}`,
    },
  },
};
