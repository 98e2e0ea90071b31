import type { FtpEntry } from '../../../features/audits/index.ts';
import { databaseClock } from '../../../platform/clock.ts';
import type { FileOperation, FileRecord, NewSession } from '../../ports/records.ts';

/** Operation names of the file-transfer log; existing clients filter by them. */
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
/** Characters. Fits two paths of maximum length with every byte escaped. */
const MAX_FILENAME = 16_384;

/** The log entry of a file operation in a session. */
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
  date: databaseClock.date(),
});
