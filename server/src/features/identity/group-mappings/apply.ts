import { DEFAULT_ORGANIZATION_NAME, type GroupSource, sourceOf } from '@sallyport/contract';
import { systemCaller } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { writeOperateLog } from '../../audits/index.ts';
import { lockGrants } from '../../perms/index.ts';
import {
  keepReported,
  type MappedChange,
  mappedChanges,
  type ReportedGroups,
  storeChanges,
} from './store.ts';

/** Maximum changes of one sign-in or import. The next one makes the rest. */
const MOST_CHANGES = 100_000;

const entryOf = ({ user_id, user, kind, group_id, what, before }: MappedChange) =>
  kind === 'role'
    ? {
        action: 'update' as const,
        resourceType: 'user',
        resource: user,
        resourceId: user_id,
        changes: { role: [before, what] as const },
      }
    : {
        action: 'update' as const,
        resourceType: 'user_group',
        resource: what,
        resourceId: group_id ?? '',
        changes: { users: (kind === 'join' ? [[], [user_id]] : [[user_id], []]) as never },
      };

/**
 * Stores the groups that a source reports of its users, and applies the active mappings. The
 * operate log names the source.
 */
export async function applyReportedGroups(
  source: GroupSource,
  reported: readonly ReportedGroups[],
  remoteAddress: string,
  tx: Tx,
): Promise<void> {
  if (reported.length === 0) return;
  await lockGrants(tx);
  await keepReported(source, reported, tx);
  const only = reported.map(({ userId }) => userId);
  const changes = await mappedChanges({ only, isPreview: false, limit: MOST_CHANGES }, tx);
  if (changes.length === 0) return;
  await storeChanges(changes, tx);
  for (const [org, ofOrganization] of Map.groupBy(changes, ({ org_id: id }) => id)) {
    const organization = { id: org, name: org === '' ? DEFAULT_ORGANIZATION_NAME : org };
    const caller = systemCaller(sourceOf(source).service, remoteAddress, organization);
    await writeOperateLog(tx, caller, ...ofOrganization.map(entryOf));
  }
}
