import { createSessionRows } from '../../features/terminal/store.ts';
import type { Db } from '../../platform/db/database.ts';
import type { SessionStore } from '../ports.ts';

/** Writes the rows of the gateway's sessions; `holder` names this server in them. */
export function createSessionStore(db: Db, holder: string): SessionStore {
  const rows = createSessionRows(db, holder);
  return {
    ...rows,
    create: ({ id, person, grant, account, secondFactor = 'none', dateStart }) =>
      rows.create({
        id,
        organizationId: grant.asset.orgId,
        user: person.display,
        asset: grant.asset.hostname,
        systemUser: `${grant.systemUser.name}(${account})`,
        userId: person.userId,
        assetId: grant.asset.id,
        systemUserId: grant.systemUser.id,
        loginFrom: person.loginFrom,
        remoteAddress: person.remoteAddr,
        protocol: grant.systemUser.protocol,
        secondFactor,
        dateStart,
      }),
  };
}
