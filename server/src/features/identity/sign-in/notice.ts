import type { SignInNotice } from '@sallyport/contract';
import { DEFAULT_ORGANIZATION, displayName } from '../../../platform/actor.ts';
import { textVersion } from '../../../platform/crypto/text-version.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { refuse } from './attempt-log.ts';
import type { SignInAccount } from './pending.ts';

/** Returns the text that an account must accept before its sign-in completes, if any. */
export function noticeFor(
  { accepted_notice: accepted }: Pick<SignInAccount, 'accepted_notice'>,
  settings: Pick<SettingsService, 'get'>,
): SignInNotice | undefined {
  const text = settings.get('SIGN_IN_NOTICE');
  if (!text || !settings.get('SIGN_IN_NOTICE_ACCEPT')) return undefined;
  const version = textVersion(text);
  return version === accepted ? undefined : { text, version };
}

interface Acceptance {
  readonly account: SignInAccount;
  /** The version that the user has read. */
  readonly version: string;
  readonly remoteAddress: string;
}

/**
 * Stores that a user accepted the text before sign-in, with an entry in the operate log.
 * @throws Rejected if the text has changed since the user read it
 */
export async function acceptNotice(
  { account, version, remoteAddress }: Acceptance,
  { settings, audit }: { readonly settings: SettingsService; readonly audit: AuditWriter },
  tx: Tx,
): Promise<void> {
  const notice = noticeFor(account, settings);
  if (notice?.version !== version) throw refuse('notice_changed');
  const { id, username, name, accepted_notice: before } = account;
  await sql`update account set accepted_notice = ${version} where id = ${id}`.execute(tx);
  const actor = { username, name, organization: DEFAULT_ORGANIZATION, remoteAddress };
  await audit(
    tx,
    { actor },
    {
      action: 'accept',
      resourceType: 'user',
      resource: displayName(account),
      resourceId: id,
      changes: { accepted_notice: [before || null, version] },
    },
  );
}
