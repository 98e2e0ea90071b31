import { StartError } from '../../../config.ts';
import { Collector, type Description, MAX_OBJECTS } from '../description.ts';
import { openSource } from './database.ts';
import type { SourceAccess } from './model.ts';
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

/** Reads the database of JumpServer 2.x, 3.x or 4.x. @throws StartError */
export async function readJumpServer(settings: SourceSettings): Promise<ReadSource> {
  const database = await openSource(settings);
  try {
    const into = new Collector();
    const reading = { database, secretKey: settings.secretKey, into };
    const isNew = database.has('accounts_account');
    if (!isNew && !database.has('assets_systemuser'))
      throw new StartError(
        `${settings.database} has neither accounts_account nor assets_systemuser: it is no database of JumpServer 2, 3 or 4.`,
      );
    const access = await (isNew ? readVersion3 : readVersion2)(reading);
    if (into.objects.length > MAX_OBJECTS)
      throw new StartError(`The source has more than ${MAX_OBJECTS} objects.`);
    return { description: into, access, names: isNew ? 'usernames' : 'system users' };
  } finally {
    await database.close();
  }
}
