import { expect, it } from 'vitest';
import { asStorageError } from '../../platform/storage/files.ts';
import { diskProblemOf, isLogFailure } from './disk-problem.ts';

const failure = (code: string) => Object.assign(new Error(code), { code, syscall: 'write' });

it.each([
  ['ENOSPC', 'session_disk_full'],
  ['EDQUOT', 'session_disk_full'],
  ['EROFS', 'session_disk_read_only'],
  ['EMFILE', 'server_resources'],
  ['ENFILE', 'server_resources'],
  ['ENOMEM', 'server_resources'],
  ['EACCES', 'session_recording_failed'],
  ['EIO', 'session_recording_failed'],
])('ends a session whose recording or log fails with %s with the reason %s', (errno, code) => {
  for (const error of [failure(errno), asStorageError(failure(errno))])
    expect(diskProblemOf(error)).toBe(code);
  expect(isLogFailure(diskProblemOf(failure(errno)))).toBe(true);
});
