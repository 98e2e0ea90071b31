import { DEFAULT_ORGANIZATION } from '../../platform/actor.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { type KeptChange, writeOperateLog } from '../audits/index.ts';

/** Entries wait this long, so that the declaration of the failover precedes them. */
const WAIT_SECONDS = 15;
const MOST_AT_ONCE = 200;

/** Writes an entry of the operate log for each lost change, so that its chain covers the loss. */
export async function logLost(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    const { rows } = await sql<LostRow>`
      update lost_change set is_logged = true where id in (
        select id from lost_change where not is_logged
          and date_found < now() - make_interval(secs => ${WAIT_SECONDS})
        order by date_found limit ${MOST_AT_ONCE} for update skip locked)
      returning id, org_id as organization, "user", action, resource_type as "resourceType",
        resource, changes`.execute(tx);
    for (const [organization, lost] of Map.groupBy(rows, (row) => row.organization))
      await writeOperateLog(
        tx,
        {
          actor: {
            name: 'System',
            username: '',
            organization: { ...DEFAULT_ORGANIZATION, id: organization },
            remoteAddress: '',
          },
        },
        ...lost.map(({ id, user, action, resourceType, resource, changes }) => ({
          action: 'create' as const,
          resourceType: 'lost_change',
          resource,
          resourceId: id,
          changes: {
            user: [null, user] as const,
            action: [null, action] as const,
            resource_type: [null, resourceType] as const,
            ...changes,
          },
        })),
      );
  });
}

type LostRow = Pick<
  KeptChange,
  'id' | 'organization' | 'user' | 'action' | 'resourceType' | 'resource' | 'changes'
>;
