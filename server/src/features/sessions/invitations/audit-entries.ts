import { type Actor, systemCaller } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { AuditEntry, AuditWriter } from '../../../resources/hooks.ts';
import type { EndedInvitation, OwnSession } from './store.ts';

/** The actor in the organization of a session instead of the current one. */
export const within = (
  actor: Pick<Actor, 'name' | 'username' | 'organization' | 'remoteAddress'>,
  organization: string,
) => ({
  actor: { ...actor, organization: { id: organization, name: '' } },
});

/** An entry about an invitation in the operate log. */
export const entryOf = (
  { user, asset }: Pick<OwnSession, 'user' | 'asset'>,
  id: string,
  entry: Pick<AuditEntry, 'action' | 'changes'>,
): AuditEntry => ({
  ...entry,
  resourceType: 'session_invitation',
  resource: `${user} → ${asset}`,
  resourceId: id,
});

/** Creates the function that logs ended invitations, by default as the server. */
export const createEndLog =
  (audit: AuditWriter) =>
  async (
    tx: Tx,
    ended: readonly EndedInvitation[],
    actor = systemCaller('System').actor,
  ): Promise<void> => {
    for (const one of ended) {
      const changes = {
        ...(one.guest !== null && { guest: [one.guest, null] as const }),
        reason: [null, one.reason] as const,
      };
      await audit(
        tx,
        within(actor, one.organization),
        entryOf(one, one.invitation, { action: 'delete', changes }),
      );
    }
  };
