import { type Config, StartError } from '../../config.ts';
import { withDatabase } from '../with-database.ts';
import type { Description } from './description.ts';
import { readGuacamole } from './guacamole.ts';
import { type ApiFlags, readApiSettings } from './jumpserver/api/settings.ts';
import { readJumpServer, readJumpServerApi } from './jumpserver/read.ts';
import { readSourceSettings } from './jumpserver/settings.ts';
import { withEngines } from './open-engines.ts';
import { prove } from './prove.ts';
import { importObjects } from './save.ts';
import { readSshConfig } from './ssh-config.ts';

/** Exit status for differences that were not applied, and for a failed proof. */
const DIFFERENT = 2;

interface ImportFlags extends ApiFlags {
  readonly plan?: boolean | undefined;
  readonly apply?: boolean | undefined;
  readonly prove?: boolean | undefined;
  readonly config?: string | undefined;
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
  { config, flags, say }: ImportCall,
): Promise<number> {
  return withDatabase(config, (database) =>
    withEngines(config, database, async (opened) => {
      const { report, isApplied } = await importObjects(description, {
        ...opened,
        db: database.db,
        isDry: flags.apply !== true,
        skipsRefused: flags['skip-refused'] === true,
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

/** Runs `sallyport import jumpserver`. Returns the exit status. @throws StartError */
export async function importJumpServer(call: ImportCall): Promise<number> {
  const { config, flags, say } = call;
  if (modesOf(flags).length !== 1 || (flags.config === undefined) === (flags.url === undefined))
    throw new StartError(
      'Name one of --plan, --apply and --prove, and the source: --config=FILE, or --url=URL and --access-key-file=FILE',
    );
  const source =
    flags.config === undefined
      ? await readJumpServerApi(await readApiSettings(flags))
      : await readJumpServer(await readSourceSettings(flags.config));
  if (flags.prove !== true) return runImport(source.description, call);
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
  return runImport(description, call);
}
