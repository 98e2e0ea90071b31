import { actionMask, type SessionKind } from '@sallyport/contract';
import { type CertifiedKey, generateSshKeyPair, userCertificate } from '@sallyport/ssh';
import { systemCaller } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Rejected } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { authorityContext } from './hooks.ts';
import { askOutside } from './outside.ts';
import { principalsOf, type TrustLines, trustLines } from './trust.ts';

/** Certificates start in the past for targets whose clock is slow. */
const CLOCK_SECONDS = 60;

/** The session that a certificate opens. */
export interface CertifiedSession {
  readonly id: string;
  readonly kind?: SessionKind;
  readonly person: { readonly display: string; readonly remoteAddr: string | null };
  readonly grant: {
    readonly actions: number;
    readonly systemUser: { readonly allowedCommands?: string };
  };
}

/** A certificate for one opening, with its key. */
export interface IssuedCertificate extends CertifiedKey {
  readonly serial: string;
  readonly keyId: string;
  readonly principals: readonly string[];
  readonly validBefore: Date;
}

/** The account and the opening that need a certificate. */
export interface CertificateNeed {
  readonly systemUserId: string;
  /** The account at the target. */
  readonly username: string;
  readonly assetId: string;
  /** Absent for remote work. */
  readonly session: CertifiedSession | undefined;
}

/** Issues certificates for system users. */
export interface CertificateIssuer {
  /**
   * Makes a key pair, has the authority of the system user's organization sign its certificate, and
   * writes it into the operate log. @throws Rejected
   */
  issue(need: CertificateNeed): Promise<IssuedCertificate>;
  /** Returns what an account trusts; undefined if a program outside signs. */
  trust(systemUserId: string, username: string): Promise<TrustLines | undefined>;
}

interface Options {
  readonly db: Db;
  readonly vault: Vault;
  readonly audit: AuditWriter;
  /** An outside authority: a program and its arguments. */
  readonly command: readonly string[] | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

interface Account {
  readonly name: string;
  readonly organization: string;
  readonly hostname: string;
  readonly principals: string;
  readonly minutes: number;
  readonly serial: string;
  readonly authority: string | null;
  readonly private_key: string | null;
}

/** Creates the issuer of an installation. */
export function createCertificateIssuer(options: Options): CertificateIssuer {
  const { db, vault, audit, command } = options;
  return {
    trust: async (systemUserId, username) =>
      command ? undefined : trustLines(systemUserId, username, db),
    async issue(need) {
      const account = await accountOf(need, db);
      if (!account) throw new Rejected('connect_denied');
      const now = Math.floor(Date.now() / 1000);
      const facts = {
        serial: BigInt(account.serial),
        keyId: keyIdOf(need, account),
        principals: principalsOf(account.principals, need.username),
        validAfter: now - CLOCK_SECONDS,
        validBefore: now + account.minutes * 60,
        extensions: extensionsOf(need.session),
      };
      const pair = generateSshKeyPair('');
      let certificate: Buffer;
      let issued: Omit<IssuedCertificate, 'privateKey' | 'certificate' | 'validBefore'> = {
        serial: account.serial,
        keyId: facts.keyId,
        principals: facts.principals,
      };
      let { validBefore } = facts;
      if (command) {
        const answer = await askOutside(command, {
          ...facts,
          publicKey: pair.public.trim(),
          organization: account.organization,
          systemUser: account.name,
          username: need.username,
          asset: account.hostname,
          session: need.session?.id ?? null,
          user: need.session?.person.display ?? null,
        }).catch((error: unknown) => {
          options.log.warn({ err: error }, 'the outside SSH authority issued no certificate');
          throw error;
        });
        certificate = answer.certificate;
        const { serial, keyId, principals } = answer.facts;
        issued = { serial: String(serial), keyId, principals };
        validBefore = answer.facts.validBefore;
      } else {
        if (account.authority === null || account.private_key === null)
          throw new Rejected('ssh_authority_missing', { account: need.username });
        const authority = vault.open(account.private_key, authorityContext(account.authority));
        certificate = userCertificate(pair.private, authority, facts);
      }
      const result: IssuedCertificate = {
        ...issued,
        privateKey: pair.private,
        certificate,
        validBefore: new Date(validBefore * 1000),
      };
      await logIssue(need, account, result, { db, audit });
      return result;
    },
  };
}

async function accountOf(
  { systemUserId, assetId }: CertificateNeed,
  db: Db,
): Promise<Account | undefined> {
  const { rows } = await sql<Account>`
    select s.name, s.org_id as organization, a.hostname, s.certificate_principals as principals,
      s.certificate_minutes as minutes, nextval('ssh_certificate_serial')::text as serial,
      newest.id as authority, newest.private_key
    from system_account s join asset a on a.id = ${assetId}
      left join lateral (select id, private_key from ssh_authority
        where org_id = s.org_id order by date_created desc, id limit 1) newest on true
    where s.id = ${systemUserId} and s.login_mode = 'certificate'`.execute(db);
  return rows[0];
}

/** Names user, session and account; targets write it into their logs, so it is one plain line. */
function keyIdOf({ session, username }: CertificateNeed, { name, hostname }: Account): string {
  const who = session
    ? `user=${session.person.display} session=${session.id}`
    : `job system-user=${name}`;
  return `sallyport ${who} account=${username}@${hostname}`.replace(/\p{C}/gu, '?').slice(0, 512);
}

/** Remote work runs commands without a terminal, and file transfer needs no extension. */
function extensionsOf(session: CertifiedSession | undefined): readonly string[] {
  if (!session || session.kind === 'transfer') return [];
  const { actions, systemUser } = session.grant;
  const canForward =
    (actions & actionMask(['forward_port'])) !== 0 && systemUser.allowedCommands === undefined;
  return [...(canForward ? ['permit-port-forwarding'] : []), 'permit-pty'];
}

async function logIssue(
  { session, assetId }: CertificateNeed,
  { name, hostname, organization }: Account,
  { serial, keyId, principals, validBefore }: IssuedCertificate,
  { db, audit }: Pick<Options, 'db' | 'audit'>,
): Promise<void> {
  const { actor } = systemCaller('System', session?.person.remoteAddr ?? '');
  await audit(
    db,
    {
      actor: {
        ...actor,
        ...(session && { name: session.person.display }),
        organization: { id: organization, name: '' },
      },
    },
    {
      action: 'create',
      resourceType: 'ssh_certificate',
      resource: `${serial} ${name} ${hostname}`,
      resourceId: session?.id ?? assetId,
      changes: {
        certificate_serial: [null, serial],
        certificate_key_id: [null, keyId],
        certificate_principals: [null, principals.join(', ')],
        date_certificate_expires: [null, validBefore.toISOString()],
      },
    },
  );
}
