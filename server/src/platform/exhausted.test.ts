import { open } from 'node:fs/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { exhaustionOf } from './exhausted.ts';

const ofSystem = (code: string) => Object.assign(new Error(code), { code, syscall: 'write' });
function ofDatabase(code: string): Error {
  const error = new pg.DatabaseError('could not extend file', 21, 'error');
  error.code = code;
  return error;
}

/** An error of PostgreSQL's own files, as version 18 reports it. */
const ofFile = (code: string, file: string, reason: string) =>
  Object.assign(ofDatabase(code), { file, message: `could not extend file "base/5/1": ${reason}` });

it('recognizes a full disk by the error of the operating system', async () => {
  const full = await open('/dev/full', 'w');
  const error = await full.write('x').catch((problem: unknown) => problem);
  await full.close();
  expect(exhaustionOf(error)).toBe('server_disk_full');
  expect(exhaustionOf(new Error('a block failed', { cause: error }))).toBe('server_disk_full');
});

it.each([
  [ofSystem('EDQUOT'), 'server_disk_full'],
  [ofSystem('EROFS'), 'server_read_only'],
  [ofSystem('EMFILE'), 'server_resources'],
  [ofSystem('ENFILE'), 'server_resources'],
  [ofDatabase('53100'), 'server_disk_full'],
  [ofDatabase('25006'), 'server_read_only'],
  [ofSystem('EIO'), 'server_disk_failing'],
  [ofDatabase('58030'), 'server_disk_failing'],
  [ofFile('42501', 'md.c', 'Read-only file system'), 'server_read_only'],
  [ofFile('42501', 'md.c', 'Das Dateisystem ist nur lesbar'), 'server_read_only'],
  [ofFile('XX000', 'fd.c', 'Read-only file system'), 'server_read_only'],
  [ofFile('XX000', 'fd.c', 'No space left on device'), 'server_disk_full'],
  [ofFile('XX000', 'fd.c', 'Input/output error'), 'server_disk_failing'],
  [ofFile('XX000', 'md.c', 'Transport endpoint is not connected'), 'server_disk_failing'],
  [ofDatabase('53200'), 'server_resources'],
  [ofDatabase('53300'), 'server_resources'],
])('recognizes %s as %s', (error, code) => expect(exhaustionOf(error)).toBe(code));

it.each([
  ofSystem('ENOENT'),
  ofSystem('constructor'),
  ofDatabase('23505'),
  // A role without the privilege, and a defect of PostgreSQL.
  ofFile('42501', 'aclchk.c', 'permission denied for table account'),
  ofFile('XX000', 'execMain.c', 'unrecognized node type'),
  // An error of a target or of a library may have such a code, too.
  Object.assign(new Error('x'), { code: 'ENOSPC' }),
  'ENOSPC',
  undefined,
])('takes %s for another error', (error) => expect(exhaustionOf(error)).toBeUndefined());

it('ends at a cause that contains itself', () => {
  const error = new Error('x');
  error.cause = error;
  expect(exhaustionOf(error)).toBeUndefined();
});
