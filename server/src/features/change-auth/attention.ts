import { changeAuthSubtask } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import type { Attention } from '../../resources/attention.ts';

export const changeAuthAttention: Attention = {
  rows: {
    unsettled_changes: {
      resource: changeAuthSubtask,
      search: (scope) => sql`
        select t.plan_execution_id::text as id, t.username || '@' || t.hostname as name,
          null::int as amount, t.date_finished as date
        from change_auth_subtask t where t.needs_attention and ${scope}`,
    },
  },
};
