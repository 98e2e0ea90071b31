import { FAILURES_WORTH_A_LOOK, loginLog, Permission } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { type Attention, attentionFact } from '../../resources/attention.ts';
import type { Verifier } from './verification.ts';

export const createLogAttention = (verifier: Pick<Verifier, 'last' | 'isDue'>): Attention => ({
  rows: {
    failed_sign_ins: {
      resource: loginLog,
      search: (scope) => sql`
        select null::text as id, t.username as name, count(*)::int as amount,
          max(t.datetime) as date
        from login_log t where not t.status and t.datetime > now() - interval '1 day' and ${scope}
        group by t.username having count(*) >= ${FAILURES_WORTH_A_LOOK}`,
    },
  },
  facts: {
    kinds: ['audit_logs_broken', 'audit_logs_unverified'],
    access: Permission.SUPER,
    async observe() {
      const last = await verifier.last();
      const isDue = await verifier.isDue(last);
      return [
        ['audit_logs_broken', last && !last.intact ? attentionFact(null, last.date) : undefined],
        ['audit_logs_unverified', isDue ? attentionFact(null, last?.date) : undefined],
      ];
    },
  },
});
