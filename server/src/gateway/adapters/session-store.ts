import { createSessionRows } from '../../features/terminal/store.ts';
import type { Core } from '../../module.ts';
import type { SessionStore } from '../ports.ts';
import { holderOf } from './holder.ts';

/** Writes the rows of the gateway's sessions. */
export function createSessionStore({ db, config }: Pick<Core, 'db' | 'config'>): SessionStore {
  const rows = createSessionRows(db, holderOf(config));
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
