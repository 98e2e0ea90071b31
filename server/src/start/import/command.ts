import { type Config, StartError } from '../../config.ts';
import { AppError } from '../../platform/errors.ts';
import { withDatabase } from '../with-database.ts';
import type { Description } from './description.ts';
import { readGuacamole } from './guacamole.ts';
import { importHistory } from './history/history.ts';
import { importReplays } from './history/replays.ts';
import { type ApiFlags, readApiSettings } from './jumpserver/api/settings.ts';
import { readJumpServer, readJumpServerApi } from './jumpserver/read.ts';
import { readSourceSettings } from './jumpserver/settings.ts';
import { withEngines } from './open-engines.ts';
import { prove } from './prove.ts';
import { describeError } from './run.ts';
import { importObjects } from './save.ts';
import { readSshConfig } from './ssh-config.ts';
import { listRuns } from './undo/store.ts';
import { undoRun } from './undo/undo.ts';

/** Exit status for differences that were not applied, and for a failed proof. */
const DIFFERENT = 2;

interface ImportFlags extends ApiFlags {
  readonly plan?: boolean | undefined;
  readonly apply?: boolean | undefined;
  readonly prove?: boolean | undefined;
  readonly config?: string | undefined;
  readonly history?: boolean | undefined;
  readonly replays?: string | undefined;
  readonly 'known-hosts'?: string | undefined;
  readonly 'skip-refused'?: boolean | undefined;
}

export interface ImportCall {
  readonly config: Config;
  readonly flags: ImportFlags;
  readonly say: (line: string) => void;
}

/** Plans or applies a description. Returns the exit status. */
export function runImport(
  description: Description,
  source: string,
  { config, flags, say }: ImportCall,
): Promise<number> {
  return withDatabase(config, (database) =>
    withEngines(config, database, async (opened) => {
      const { report, isApplied } = await importObjects(description, {
        ...opened,
        source,
        db: database.db,
        isDry: flags.apply !== true,
        skipsRefused: flags['skip-refused'] === true,
      }).catch((error: unknown) => {
        throw error instanceof AppError ? new StartError(describeError(error)) : error;
      });
      for (const line of report.lines()) say(line);
      const [changes, refused] = [report.total('new', 'changed'), report.total('refused')];
      if (isApplied) return 0;
      if (flags.apply === true) {
        say('Nothing was changed: --skip-refused imports the other objects.');
        return 1;
      }
      say('Nothing was changed: --apply makes the changes.');
      return changes + refused > 0 ? DIFFERENT : 0;
    }),
  );
}

/** Returns the modes that the operator named. */
const modesOf = ({ plan, apply, prove: proves }: ImportFlags) =>
  [plan, apply, proves].filter((mode) => mode === true);

/** Copies sessions and commands from the database of the source. @throws StartError */
async function copyHistory({ config, flags, say }: ImportCall): Promise<number> {
  if (flags.config === undefined || flags.prove === true)
    throw new StartError('The history is read from the database: --config=FILE --plan or --apply');
  const settings = await readSourceSettings(flags.config);
  const isDry = flags.apply !== true;
  const isDifferent = await withDatabase(config, ({ db }) =>
    importHistory(settings, { db, isDry, say }),
  );
  return endOfCopy(isDry, isDifferent, say);
}

/** Copies recordings of imported sessions from a folder. @throws StartError */
async function copyReplays(folder: string, { config, flags, say }: ImportCall): Promise<number> {
  if (flags.prove === true || flags.history === true || flags.config !== undefined)
    throw new StartError('Recordings are read from a folder: --replays=FOLDER --plan or --apply');
  const isDry = flags.apply !== true;
  const isDifferent = await withDatabase(config, (database) =>
    withEngines(config, database, ({ recordings, settings }) =>
      importReplays(folder, { config, db: database.db, recordings, settings, isDry, say }),
    ),
  );
  return endOfCopy(isDry, isDifferent, say);
}

/** Says that a plan changed nothing. Returns the exit status. */
function endOfCopy(isDry: boolean, isDifferent: boolean, say: ImportCall['say']): number {
  if (!isDry) return 0;
  say('Nothing was changed: --apply makes the changes.');
  return isDifferent ? DIFFERENT : 0;
}

/** Runs `sallyport import jumpserver`. Returns the exit status. @throws StartError */
export async function importJumpServer(call: ImportCall): Promise<number> {
  const { config, flags, say } = call;
  const isOneMode = modesOf(flags).length === 1;
  if (isOneMode && flags.replays !== undefined) return copyReplays(flags.replays, call);
  if (!isOneMode || (flags.config === undefined) === (flags.url === undefined))
    throw new StartError(
      'Name one of --plan, --apply and --prove, and the source: --config=FILE, or --url=URL and --access-key-file=FILE',
    );
  if (flags.history === true) return copyHistory(call);
  const source =
    flags.config === undefined
      ? await readJumpServerApi(await readApiSettings(flags))
      : await readJumpServer(await readSourceSettings(flags.config));
  if (flags.prove !== true) return runImport(source.description, 'jumpserver', call);
  const differences = await withDatabase(config, ({ db }) => prove(source, db, say));
  return differences === 0 ? 0 : DIFFERENT;
}

/** Imports a file into the default organization. Returns the exit status. @throws StartError */
export async function importFile(
  kind: 'ssh-config' | 'guacamole',
  file: string | undefined,
  call: ImportCall,
): Promise<number> {
  const { flags } = call;
  if (modesOf(flags).length !== 1 || flags.prove === true || file === undefined)
    throw new StartError('Name the file, and one of --plan and --apply.');
  const description =
    kind === 'guacamole'
      ? await readGuacamole(file)
      : await readSshConfig(file, flags['known-hosts']);
  return runImport(description, kind, call);
}

/** Says which imports can be undone. */
async function listImports({ config, say }: ImportCall): Promise<number> {
  const runs = await withDatabase(config, ({ db }) => listRuns(db));
  if (runs.length === 0) say('No import of the last 24 hours can be undone.');
  for (const { id, date, source, created, changed } of runs)
    say(`${id}  ${date.toISOString()}  ${source}: ${created} created, ${changed} changed`);
  return 0;
}

/**
 * Runs `sallyport import undo`: lists imports, or undoes one. Returns the exit status.
 * @throws StartError
 */
export async function undoImport(call: ImportCall, id?: string): Promise<number> {
  const { config, flags, say } = call;
  if (id === undefined) return listImports(call);
  const modes = modesOf(flags);
  if (modes.length !== 1 || flags.prove === true)
    throw new StartError('Name one of --plan and --apply.');
  return withDatabase(config, async (database) => {
    if (!(await listRuns(database.db)).some((run) => run.id === id))
      throw new StartError(`No import of the last 24 hours has the id ${id}.`);
    return withEngines(config, database, async (opened) => {
      const isDry = flags.apply !== true;
      const { lines, isDone } = await undoRun(id, { ...opened, db: database.db, isDry });
      for (const line of lines) say(line);
      if (isDone) return 0;
      say(isDry ? 'Nothing was changed: --apply undoes the import.' : 'Nothing was changed.');
      return isDry ? DIFFERENT : 1;
    });
  });
}
