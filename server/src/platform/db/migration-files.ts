import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_FOLDER } from '../server-folder.ts';

const FOLDER = join(SERVER_FOLDER, 'src/migrations');
const BRIDGE = join(FOLDER, 'bridge');

/** Name and digest, as a database remembers an applied migration. */
export interface AppliedMigration {
  readonly name: string;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly digest: string;
}

export interface Migration extends AppliedMigration {
  readonly text: string;
}

function readFolder(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const digest = createHash('sha256').update(text).digest('hex');
      return { name: file.slice(0, -4), text, digest };
    });
}

/** All migrations in order: the baseline, which has one file for each area, and what follows it. */
export const readMigrations = (): Migration[] => readFolder(FOLDER);

/** The migrations that databases had before the baseline, in order. */
export const readFormerMigrations = (): AppliedMigration[] =>
  JSON.parse(readFileSync(join(BRIDGE, 'applied.json'), 'utf8')) as AppliedMigration[];

/** The last of the former migrations; they bring older databases to the baseline. */
export const readBridge = (): Migration[] => readFolder(BRIDGE);
