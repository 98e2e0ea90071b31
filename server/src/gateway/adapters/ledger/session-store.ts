import { createSessionRows, type SessionRows } from '../../../features/sessions/index.ts';
import type { Db } from '../../../platform/db/database.ts';
import { targetOf } from '../../ports/grant.ts';
import type { SessionStore } from '../../ports/records.ts';

/**
 * Creates the store of session rows for the server `id`. With `isCanary`, rows are marked as
 * self-tests.
 */
export function createSessionStore(
  db: Db,
  { id, isAlone }: { readonly id: string; readonly isAlone: boolean },
  isCanary = false,
): SessionStore & Pick<SessionRows, 'holderOf' | 'interruptOrphans'> {
  const rows = createSessionRows(db, id, isAlone);
  return {
    ...rows,
    create: ({ id, kind, person, grant, account, secondFactor = 'none', dateStart }) => {
      const target = targetOf(grant);
      return rows.create({
        id,
        organizationId: grant.asset.orgId,
        user: person.display,
        asset: target.name,
        // VNC desktops with a password only have no account name.
        systemUser: account ? `${grant.systemUser.name}(${account})` : grant.systemUser.name,
        userId: person.userId,
        assetId: target.id,
        ...(kind && { kind }),
        targetKind: target.kind,
        systemUserId: grant.systemUser.id,
        loginFrom: person.loginFrom,
        remoteAddress: person.remoteAddr,
        protocol: grant.systemUser.protocol,
        secondFactor,
        dateStart,
        isCanary,
      });
    },
  };
}
