import { StartError } from '../../../config.ts';
import { Collector, type Description, MAX_OBJECTS } from '../description.ts';
import { readCommon } from './api/common.ts';
import type { ApiSettings } from './api/settings.ts';
import { ApiTables } from './api/tables.ts';
import { readApi2 } from './api/version-2.ts';
import { DEFAULT_ID, readApi3 } from './api/version-3.ts';
import { openSource, type SourceDatabase } from './database.ts';
import type { SourceAccess } from './model.ts';
import type { Reading } from './people.ts';
import type { SourceSettings } from './settings.ts';
import { readVersion2 } from './version-2.ts';
import { readVersion3 } from './version-3.ts';

/** A source that was read: its objects, and the rows that decide access. */
export interface ReadSource {
  readonly description: Description;
  readonly access: SourceAccess;
  /** Name of an account in the proof, by the system user of Sallyport. */
  readonly names: 'system users' | 'usernames';
}

/** Reads the tables of a source. @throws StartError */
async function readTables(
  database: SourceDatabase,
  { secretKey, into }: Pick<Reading, 'secretKey' | 'into'>,
): Promise<ReadSource> {
  const isNew = database.has('accounts_account');
  const access = await (isNew ? readVersion3 : readVersion2)({ database, secretKey, into });
  if (into.objects.length > MAX_OBJECTS)
    throw new StartError(`The source has more than ${MAX_OBJECTS} objects.`);
  return { description: into, access, names: isNew ? 'usernames' : 'system users' };
}

/** Reads the database of JumpServer 2.x, 3.x or 4.x. @throws StartError */
export async function readJumpServer(settings: SourceSettings): Promise<ReadSource> {
  const database = await openSource(settings);
  try {
    if (!database.has('accounts_account') && !database.has('assets_systemuser'))
      throw new StartError(
        `${settings.database} has neither accounts_account nor assets_systemuser: it is no database of JumpServer 2, 3 or 4.`,
      );
    return await readTables(database, { secretKey: settings.secretKey, into: new Collector() });
  } finally {
    await database.close();
  }
}

/** Reads the API of JumpServer 2.x, 3.x or 4.x. @throws StartError */
export async function readJumpServerApi(settings: ApiSettings): Promise<ReadSource> {
  const tables = new ApiTables(settings);
  // Sallyport has the lists of accounts as well, and those of version 2.
  const isNew =
    (await tables.hasList('accounts/accounts/')) && !(await tables.hasList('assets/system-users/'));
  await readCommon(tables, isNew ? DEFAULT_ID : '');
  await (isNew ? readApi3 : readApi2)(tables);
  const into = new Collector();
  for (const { place, text } of tables.notes) into.note(place, text);
  return readTables(tables.database(), { secretKey: undefined, into });
}
