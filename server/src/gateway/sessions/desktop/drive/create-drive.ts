import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_DRIVE_ENTRIES } from '@sallyport/contract';
import { DriveFolder } from '@sallyport/rdp';
import type { SessionParts } from '../../session.ts';
import { rightsOf } from '../rights.ts';
import { DesktopDrive, type DriveHost } from './desktop-drive.ts';

/** Returns the drive of a session; undefined if protocol, settings or rights have none. */
export function createDrive(
  { row, limits, ports }: SessionParts,
  host: DriveHost,
): DesktopDrive | undefined {
  const { files } = rightsOf(row.grant);
  const hasDrive = row.grant.systemUser.protocol === 'rdp' && (files.upload || files.download);
  if (!hasDrive || limits.driveBytes === 0) return undefined;
  const { disk } = ports;
  const folder = new DriveFolder(join(disk.folder ?? tmpdir(), `drive-${row.id}`), {
    bytes: limits.driveBytes,
    entries: MAX_DRIVE_ENTRIES,
    freeBytes: async () => (await disk.freeBytes()) - limits.diskReserveBytes,
  });
  return new DesktopDrive(folder, host);
}
