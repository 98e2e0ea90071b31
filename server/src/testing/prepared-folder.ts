import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER_VARIABLE } from './test-database.ts';

/**
 * Fills an empty data folder with the embedded database of an installation without accounts. For
 * tests of the program as a process that are not about its first start, which creates and migrates
 * the database.
 */
export function prepareFolder(folder: string): void {
  const template = process.env[FOLDER_VARIABLE];
  if (!template) throw new Error('the global setup has not made a data folder');
  execFileSync('cp', ['-a', `${template}/.`, folder]);
  // The settings of the template are for test data: a crash of the program must lose nothing.
  rmSync(join(folder, 'postgres/postgresql.auto.conf'));
}
