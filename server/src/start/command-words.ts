import { parseArgs } from 'node:util';
import { linesWithoutMisleading } from '@sallyport/contract';
import { COMMAND } from '../platform/release.ts';

/** The commands with their help, in the order of the list. */
const HELP = `  apply -f FILE --key=FILE
                             compares assets, nodes, users, groups, permissions and command filters
                             of a YAML file with a running server, and shows who gains and loses
                             access; --yes makes the changes. --key: a file with ID:SECRET of an
                             access key; --server=URL, --organization=ID; --json: for programs.
                             Exit status 2: there are differences
  apply export --key=FILE [SECTION…]
                             prints the present objects as such a file, without secrets: all, or the
                             sections nodes, users, user_groups, assets, asset_permissions and
                             command_filters
  backup FOLDER              copies the database into a new folder, while the server runs or not;
                             --recordings adds the recordings, --keys=FILE writes the keys to a file
  backup drill               restores the newest backup into a scratch database, verifies and drops
                             it; backup drill FOLDER takes that backup. Exit status 2: not passed
  restore FOLDER             restores a backup into an empty data folder and an empty database;
                             --keys=FILE names the file with the keys. Also takes the file of an
                             encrypted backup, or its address s3://BUCKET/KEY with the variables
                             AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL
  database move URL          copies the database of a stopped installation into the empty one at
                             URL and proves that both are equal; no server starts on the first one
                             any more. Its password may come from PGPASSWORD or ~/.pgpass.
                             "embedded" instead of URL moves it back into the data folder
  database reopen            lets servers start again on a database that was moved away
  doctor                     checks for present and imminent problems and suggests fixes;
                             --json for programs. Exit status 2: a problem exists
  host-keys                  prints the fingerprints of the SSH listener's host keys and of the
                             host CA, with lines for known_hosts
  audit verify               proves that no audit log entry was changed, removed or inserted, and
                             that ended sessions, their commands and recordings are unchanged
  evidence export FILE       packs a session (--session=ID) or a period (--from=TIME --to=TIME) with
                             all proofs into one file, which evidence/verify.mjs proves offline
  import jumpserver --config=FILE
                             copies users, assets, accounts and permissions from the database of
                             JumpServer 2, 3 or 4: --plan shows what would change, --apply writes it
                             in one transaction, --prove compares the access of all users. FILE: its
                             config.txt or config.yml. --skip-refused leaves out refused objects.
                             Exit status 2: there are differences
  import jumpserver --config=FILE --history
                             copies finished sessions and their commands instead, marked as imported
  import jumpserver --replays=FOLDER
                             copies recordings of imported sessions from its folder media/replay
  import jumpserver --url=URL --access-key-file=FILE
                             the same from the API of a running JumpServer. FILE: ID:SECRET of an
                             administrator's access key; --ca=FILE: the authority of its certificate
  import ssh-config FILE     adds the hosts of an ssh_config as assets, jump hosts as gateways,
                             and with --known-hosts=FILE their host keys: --plan or --apply
  import guacamole FILE      adds the connections of a user-mapping.xml as assets with accounts and
                             permissions for existing users: --plan or --apply
  import undo                lists the imports of the last 24 hours; import undo ID with --plan or
                             --apply takes one back, unless its objects were changed or used since
  key status                 lists master keys and data keys, and how many values wait to be sealed
                             again
  key forget                 lets a database start whose secret key is lost: removes what it
                             sealed, and says so first; --confirm=forget does it
  key rotate                 makes a new master key and new data keys, and seals all secrets again,
                             while the servers run; interrupted, the next call continues
  license issue FACTS…       signs a license with this installation's own key and prints it.
                             FACTS are name=value: corporation, expired (last day), asset_count
                             (0: no limit); optional: edition (standard, enterprise, ultimate),
                             subscription_id
  server new-identity        makes a copied machine or data folder another server of the
                             installation: it keeps no sessions of the original. Stop the server
  sign-in-rules off          deactivates all sign-in rules, when they keep every administrator out
  upgrade                    starts the program again next to the running server, or with
                             --to=FOLDER another version: it accepts all connections, and the
                             old processes keep their sessions until they end. Exit status
                             69: the server must be restarted instead
  user reset-password NAME   sets a new random password, prints it once, and unlocks the account;
                             ends its sign-ins
  user reset-mfa NAME        removes the second factors of an account; ends its sign-ins
  --version                  prints version and commit of the program
  --help                     prints this list; after a command, the help of that command`;

/** Entries of the help: each begins in the third column. */
const ENTRIES = HELP.split(/\n(?= {2}\S)/);

const USAGE_LINE = `Usage: ${COMMAND} COMMAND`;
const USAGE = `${USAGE_LINE}\n\n${HELP}`;

/** Returns the entries of commands that begin with the words. */
const entriesOf = (words: readonly string[]): readonly string[] =>
  ENTRIES.filter((entry) => `${entry.trimStart()} `.startsWith(`${words.join(' ')} `));

/** Returns the help of the command that the words name, or of all commands. */
export function helpOf(words: readonly string[]): string {
  for (const known of [words.slice(0, 2), words.slice(0, 1)]) {
    const entries = entriesOf(known);
    if (known.length > 0 && entries.length > 0) return `${USAGE_LINE}\n\n${entries.join('\n')}`;
  }
  return USAGE;
}

/** Says that a command does not exist, and names those that do. */
export function unknownCommand(words: readonly string[], names: readonly string[]): string {
  const [area = ''] = words;
  const related = names.filter((name) => name.startsWith(`${area} `));
  const unknown = related.length > 0 && words.length > 1 ? words.slice(0, 2).join(' ') : area;
  const problem =
    area === '' ? 'Name a command.' : `There is no command ${JSON.stringify(unknown)}.`;
  const list = (related.length > 0 ? related : names).join(', ');
  return `${problem} Commands: ${list}.\n${USAGE_LINE}\n${COMMAND} --help describes them.`;
}

/** Environment and output of an operator command. */
export interface Terminal {
  /** Environment variables. */
  readonly environment: NodeJS.ProcessEnv;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

/**
 * Returns a terminal that shows texts without the characters that it would obey: names come from
 * users, files and databases.
 */
export const plainTerminal = ({ environment, print, printError }: Terminal): Terminal => ({
  environment,
  print: (text) => print(linesWithoutMisleading(text)),
  printError: (text) => printError(linesWithoutMisleading(text)),
});

/** Reads flags and words. @throws Error of Node.js for an unknown flag, see `wordProblem` */
export const parseWords = (words: readonly string[]) => {
  const boolean = { type: 'boolean' } as const;
  return parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      'access-key-file': { type: 'string' },
      apply: boolean,
      ca: { type: 'string' },
      config: { type: 'string' },
      demo: boolean,
      from: { type: 'string' },
      history: boolean,
      json: boolean,
      confirm: { type: 'string' },
      file: { type: 'string', short: 'f' },
      help: { ...boolean, short: 'h' },
      key: { type: 'string' },
      keys: { type: 'string' },
      'known-hosts': { type: 'string' },
      organization: { type: 'string' },
      plan: boolean,
      prove: boolean,
      recordings: boolean,
      replays: { type: 'string' },
      session: { type: 'string' },
      to: { type: 'string' },
      url: { type: 'string' },
      server: { type: 'string' },
      'skip-refused': boolean,
      version: boolean,
      yes: boolean,
    },
  });
};

/** A call of an operator command, with its parsed words. */
export interface Call extends Terminal {
  /** Everything after the name of the program. */
  readonly all: readonly string[];
  readonly flags: ReturnType<typeof parseWords>['values'];
  /** Prints a file, whose content must stay exact. */
  readonly printFile: (text: string) => void;
}

/** Says why flags cannot be read, with the usage; undefined for any other error. */
export function wordProblem(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return;
  if (!String(error.code).startsWith('ERR_PARSE_ARGS_')) return;
  const problem =
    error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
      ? `There is no flag ${/'(-.*?)'/s.exec(error.message)?.[1]}.`
      : error.message;
  return `${problem}\n${USAGE_LINE}\n${COMMAND} --help describes commands and flags.`;
}
