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
  [ofDatabase('53200'), 'server_resources'],
  [ofDatabase('53300'), 'server_resources'],
])('recognizes %s as %s', (error, code) => expect(exhaustionOf(error)).toBe(code));

it.each([
  ofSystem('ENOENT'),
  ofSystem('constructor'),
  ofDatabase('23505'),
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
