import type { ErrorCode } from '@sallyport/contract';
import { createWriteProbe, type StorageProblem } from '../../platform/storage/recordings.ts';

/** Without a disk that hangs: at a stop, a slow one looks the same. */
const BROKEN_DISK: Readonly<Partial<Record<StorageProblem, ErrorCode>>> = {
  full: 'session_disk_full',
  refused: 'session_disk_read_only',
};

/**
 * Returns the reason with which the sessions of a stopping server end. A broken disk stops the
 * embedded database, and a lost database the server.
 */
export async function reasonToStop(
  folder: string,
  databaseAnswers: () => Promise<boolean>,
): Promise<ErrorCode> {
  const problem = await createWriteProbe([folder])();
  const broken = problem && BROKEN_DISK[problem];
  if (broken) return broken;
  return (await databaseAnswers()) ? 'session_server_stopping' : 'session_database_away';
}
