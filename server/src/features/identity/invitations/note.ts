import type { Context } from '../../../http/context.ts';
import type { CurrentOrganization } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { AuditEntry, ResourceServices } from '../../../resources/hooks.ts';
import type { Mailer } from '../../mail/index.ts';
import type { Mails } from '../mail/jobs.ts';

export interface InvitationOptions extends Pick<ResourceServices, 'db' | 'audit' | 'lockGrants'> {
  readonly mailer: Pick<Mailer, 'isConfigured'>;
  readonly mails: Pick<Mails, 'enqueue'>;
}

/** Writes a log entry in the organization that it concerns, whichever the caller is in. */
export async function note(
  { audit, tx }: Pick<InvitationOptions, 'audit'> & { readonly tx: Tx },
  { actor }: Context,
  { id, name }: CurrentOrganization,
  changes: NonNullable<AuditEntry['changes']>,
): Promise<void> {
  await audit(
    tx,
    { actor: { ...actor, organization: { id, name } } },
    { action: 'update', resourceType: 'organization', resource: name, resourceId: id, changes },
  );
}
