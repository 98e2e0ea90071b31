import { writeFtpLog } from '../../features/audits/ftp-log.ts';
import type { Db } from '../../platform/db/database.ts';
import type { FileLog, FileOperation } from '../ports/records.ts';

/** The names that the log has for what is done with files. */
const NAMES: Readonly<Record<FileOperation, string>> = {
  upload: 'Upload',
  download: 'Download',
  delete: 'Delete',
  rename: 'Rename',
  mkdir: 'Mkdir',
  rmdir: 'Rmdir',
  chmod: 'Chmod',
  symlink: 'Symlink',
  copy: 'Copy',
};
/** Two paths of the longest kind, each byte escaped. */
const MAX_FILENAME = 16_384;

/** Writes what the gateway's sessions do with files. */
export function createFileLog(db: Db): FileLog {
  return {
    write: ({ id, person, grant, account }, { operation, path, size, sha256, reason }) =>
      writeFtpLog(db, {
        organizationId: grant.asset.orgId,
        user: person.display,
        userId: person.userId,
        remoteAddress: person.remoteAddr ?? '',
        asset: grant.asset.hostname,
        assetId: grant.asset.id,
        systemUser: grant.systemUser.name,
        systemUserId: grant.systemUser.id,
        account,
        session: id,
        operate: NAMES[operation],
        filename: path.slice(0, MAX_FILENAME),
        size: size ?? null,
        sha256: sha256 ?? null,
        reason: reason ?? '',
      }),
  };
}
