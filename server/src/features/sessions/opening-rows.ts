import type { SessionKind } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql, writePrepared } from '../../platform/db/sql.ts';
import { processOf } from '../servers/index.ts';

/** The facts of a session that begins. */
export interface BegunSession {
  readonly id: string;
  readonly organizationId: string;
  /** Names at this moment. They stay when the objects are renamed or deleted. */
  readonly user: string;
  readonly asset: string;
  readonly systemUser: string;
  readonly userId: string;
  /** The asset id, or the application id if `asset` names an application. */
  readonly assetId: string;
  readonly kind?: SessionKind;
  readonly targetKind?: 'asset' | 'database_app' | 'remote_app' | 'cluster';
  readonly systemUserId: string;
  readonly loginFrom: string;
  readonly remoteAddress: string | null;
  readonly protocol: string;
  readonly secondFactor: 'none' | 'recent' | 'asked';
  readonly dateStart: Date;
  /** True for sessions of the self-test. */
  readonly isCanary?: boolean;
}

/** The SSH certificate that opens a session at its target. */
export interface OpeningCertificate {
  readonly serial: string;
  readonly keyId: string;
  readonly principals: readonly string[];
  readonly validBefore: Date;
}

/** Stores how the connection to a target is made, while a session opens. */
export interface OpeningRows {
  setOldAlgorithms(id: string, names: readonly string[]): Promise<void>;
  setCertificate(id: string, certificate: OpeningCertificate): Promise<void>;
}

/** Writes the row of a session that `holder` carries; with `ifMissing`, leaves an existing one. */
export async function writeOpened(
  db: Db | Tx,
  session: BegunSession,
  holder: string,
  ifMissing = false,
): Promise<void> {
  const row = sql`
    insert into session (id, org_id, "user", asset, "system_user", user_id, asset_id,
      target_kind, kind, system_user_id, login_from, remote_addr, protocol, second_factor,
      date_start, holder, is_canary, terminal)
    values (${session.id}, ${session.organizationId}, ${session.user.slice(0, 128)},
      ${session.asset}, ${session.systemUser.slice(0, 128)}, ${session.userId},
      ${session.assetId}, ${session.targetKind ?? 'asset'}, ${session.kind ?? 'terminal'},
      ${session.systemUserId}, ${session.loginFrom}, ${session.remoteAddress},
      ${session.protocol}, ${session.secondFactor}, ${session.dateStart}, ${holder},
      ${session.isCanary === true},
      (select id from terminal where holder = ${processOf(holder).server}))
    ${ifMissing ? sql`on conflict (id) do nothing` : sql``}`;
  await writePrepared(row, db);
}

/** Creates the part of the store that writes while a session opens. */
export const createOpeningRows = (db: Db | Tx): OpeningRows => ({
  async setOldAlgorithms(id, names) {
    await sql`update session set old_algorithms = ${names.join(', ')} where id = ${id}`.execute(db);
  },
  async setCertificate(id, { serial, keyId, principals, validBefore }) {
    await sql`update session set certificate_serial = ${serial}, certificate_key_id = ${keyId},
      certificate_principals = ${principals.join(', ')}, date_certificate_expires = ${validBefore}
      where id = ${id}`.execute(db);
  },
});
