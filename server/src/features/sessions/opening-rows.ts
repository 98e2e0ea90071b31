import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** The SSH certificate that opens a session at its target. */
interface OpeningCertificate {
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

/** Creates the part of the store that writes while a session opens. */
export const createOpeningRows = (db: Db): OpeningRows => ({
  async setOldAlgorithms(id, names) {
    await sql`update session set old_algorithms = ${names.join(', ')} where id = ${id}`.execute(db);
  },
  async setCertificate(id, { serial, keyId, principals, validBefore }) {
    await sql`update session set certificate_serial = ${serial}, certificate_key_id = ${keyId},
      certificate_principals = ${principals.join(', ')}, date_certificate_expires = ${validBefore}
      where id = ${id}`.execute(db);
  },
});
