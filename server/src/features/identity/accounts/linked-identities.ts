import {
  type LinkedIdentities,
  type LinkedIdentity,
  PROVIDER_SOURCES,
  user,
} from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { invalid, Rejected } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { Mailer } from '../../mail/index.ts';
import type { Mails } from '../mail/jobs.ts';
import { accessOf, openSessionsOf } from '../offboarding/store.ts';
import { endAllAccess, endedKeys, endOtherSignIns } from '../sign-in-sessions/store.ts';
import {
  accountEntry,
  assertMailResets,
  type ManagedAccount,
  type NamedAccount,
} from './managed-account.ts';
import { lockAccount } from './store.ts';

export interface LinkedIdentityOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly mailer: Mailer;
  readonly mails: Mails;
}

/** Key of an identity of an account: a user has one at each provider. */
export interface WhichIdentity {
  readonly source: string;
  readonly issuer: string;
}

/** New way to sign in after the last identity was unlinked; undefined changes nothing else. */
export type WayAfter =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'link' }
  | undefined;

interface StoredIdentity extends WhichIdentity {
  readonly subject: string;
  readonly date_created: Date;
  readonly date_used: Date;
}

/** Returns the identities of an account, most recently used first. */
async function storedOf(userId: string, on: Db | Tx): Promise<readonly StoredIdentity[]> {
  const { rows } = await sql<StoredIdentity>`
    select source, issuer, subject, date_created, date_used from external_identity
    where user_id = ${userId} order by date_used desc, source, issuer limit 100`.execute(on);
  return rows;
}

/**
 * Returns true if the account cannot sign in without this identity: its source is a provider, and
 * it has no other identity there.
 */
function isLastWay(
  accountSource: string,
  which: WhichIdentity,
  all: readonly WhichIdentity[],
): boolean {
  return (
    PROVIDER_SOURCES.some((source) => source === accountSource) &&
    which.source === accountSource &&
    all.filter(({ source }) => source === accountSource).length === 1
  );
}

/**
 * Deletes one identity under the lock of the account: of two parallel deletions, one sees the
 * last identity.
 * @throws Invalid
 */
async function take(userId: string, which: WhichIdentity, tx: Tx) {
  const account = await lockAccount(userId, tx);
  const all = await storedOf(userId, tx);
  const identity = all.find(
    ({ source, issuer }) => source === which.source && issuer === which.issuer,
  );
  if (!identity) throw invalid('issuer', 'unknown_object', { value: which.issuer });
  await sql`
    delete from external_identity
    where user_id = ${userId} and source = ${identity.source}
      and issuer = ${identity.issuer}`.execute(tx);
  return {
    subject: identity.subject,
    email: String(account.email ?? ''),
    isLast: isLastWay(String(account.source ?? ''), which, all),
  };
}

/** Returns the entry of the operate log for an unlinked identity. */
const entryOf = (
  account: NamedAccount,
  { source, issuer }: WhichIdentity,
  subject: string,
  more: object = {},
) =>
  accountEntry(account, {
    [`${source}_subject`]: [subject, null],
    [`${source}_issuer`]: [issuer, null],
    ...more,
  });

/**
 * Returns the identities of an account, and the access that ends when an administrator unlinks
 * one.
 */
async function identitiesOf(
  account: Pick<ManagedAccount, 'id' | 'source'>,
  dated: (date: Date) => string,
  db: Db,
): Promise<LinkedIdentities> {
  const stored = await storedOf(account.id, db);
  const { sign_ins, access_keys } = await accessOf(account.id, db);
  return {
    identities: stored.map(
      ({ source, issuer, subject, date_created, date_used }): LinkedIdentity => ({
        source: source as LinkedIdentity['source'],
        issuer,
        subject,
        date_created: dated(date_created),
        date_used: dated(date_used),
        is_last_way: isLastWay(account.source, { source, issuer }, stored),
      }),
    ),
    sign_ins,
    access_keys,
    sessions: (await openSessionsOf(account.id, undefined, db)).length,
  };
}

/** Lists and unlinks an account's identities at identity providers. */
export function createLinkedIdentities({
  db,
  engines,
  audit,
  mailer,
  mails,
}: LinkedIdentityOptions) {
  return {
    of: (account: Pick<ManagedAccount, 'id' | 'source'>, dated: (date: Date) => string) =>
      identitiesOf(account, dated, db),

    /**
     * Unlinks an identity of the caller and keeps the current sign-in.
     * @throws Invalid, Rejected if it is the only way to sign in
     */
    async endOwn(which: WhichIdentity, context: Context): Promise<void> {
      const { actor } = context;
      await transact(db, async (tx) => {
        const { subject, isLast } = await take(actor.userId, which, tx);
        if (isLast) throw new Rejected('identity_last_way');
        const ended = await endOtherSignIns(tx, actor.userId, actor.session.id);
        const more = ended.length > 0 ? { sign_ins: [ended.length, 0] } : {};
        await audit(
          tx,
          context,
          entryOf(
            { id: actor.userId, username: actor.username, name: actor.name },
            which,
            subject,
            more,
          ),
        );
      });
    },

    /**
     * Unlinks an identity of another user and ends all current access of the account.
     * @throws Invalid, Rejected if another way to sign in is needed
     */
    async end(
      account: ManagedAccount,
      which: WhichIdentity,
      after: WayAfter,
      context: Context,
    ): Promise<void> {
      if (after?.kind === 'link') {
        assertMailResets(account);
        if (!mailer.isConfigured()) throw new Rejected('mail_not_configured');
      }
      if (after?.kind === 'password' && after.password === '')
        throw invalid('password', 'required');
      await transact(db, async (tx) => {
        const { subject, email, isLast } = await take(account.id, which, tx);
        if (isLast && !after) throw new Rejected('identity_last_way');
        // Accounts that a provider created without an address have a placeholder address.
        if (isLast && after?.kind === 'link' && email.endsWith('@localhost'))
          throw new Rejected('no_mail_address');
        const ended = await endAllAccess(tx, account.id);
        if (isLast && after) {
          const body = {
            source: 'local',
            ...(after.kind === 'password' && { password: after.password }),
          };
          await engineOf(engines, user).writer.change(account.id, body, context, { tx });
          if (after.kind === 'link')
            await mails.enqueue(
              { kind: 'password_reset', userId: account.id, language: context.language },
              tx,
            );
        }
        const more = {
          ...(ended.signIns > 0 && { sign_ins: [ended.signIns, 0] }),
          ...endedKeys(ended),
          ...(isLast && after?.kind === 'link' && { password_link: [null, 'mailed'] }),
        };
        await audit(tx, context, entryOf(account, which, subject, more));
      });
    },
  };
}
