import type { FtpEntry } from '../../features/audits/ftp-log.ts';
import type { FileOperation, FileRecord, NewSession } from '../ports/records.ts';

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

/** The entry of the file-transfer log for what a session of the gateway has just done with files. */
export const ftpEntryOf = (
  { id, person, grant, account }: NewSession,
  { operation, path, size, sha256, reason }: FileRecord,
): FtpEntry & { readonly date: Date } => ({
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
  date: new Date(),
});
