#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { db } from './db.ts';
import { Failure, STATUS } from './failure.ts';
import { kube, kubeToken } from './kube.ts';
import { t } from './language.ts';
import { list } from './list.ts';
import { login, logout } from './login.ts';
import { line, note } from './print.ts';
import { replay } from './replay.ts';
import { approve, deny, request, requests } from './requests.ts';
import { Server, VERSION } from './server.ts';
import { scp, ssh } from './ssh.ts';
import { requireStored } from './stored.ts';
import { words } from './words.ts';

const boolean = { type: 'boolean' } as const;
const string = { type: 'string' } as const;

const OPTIONS = {
  account: string,
  all: boolean,
  app: boolean,
  database: boolean,
  help: { ...boolean, short: 'h' },
  idle: { ...string, default: '2' },
  json: boolean,
  limit: { ...string, default: '50' },
  minutes: string,
  'no-browser': boolean,
  organization: string,
  print: boolean,
  reason: string,
  server: string,
  speed: { ...string, default: '1' },
  user: string,
  version: boolean,
  yes: { ...boolean, short: 'y' },
} as const;

const MAX_LISTED = 200;

const wrongUsage = (problem: string) =>
  new Failure([problem, t(words.usageLine), t(words.helpHint)].join('\n'), STATUS.usage);

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem =
      code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
        ? t(words.unknownFlag, { name: /'(-.*?)'/s.exec(message)?.[1] ?? '' })
        : message;
    throw wrongUsage(problem);
  }
}

type Flags = ReturnType<typeof parse>['values'];

/** Reads the number of rows of a list. @throws Failure */
function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED)
    throw new Failure(t(words.badLimit, { value: text, max: MAX_LISTED }), STATUS.usage);
  return limit;
}

/** Commands on the API of the server, by name. */
const COMMANDS: Readonly<
  Record<string, (server: Server, words: readonly string[], flags: Flags) => Promise<number>>
> = {
  ls: (server, [search = ''], { limit, json = false }) =>
    list(server, { search, max: readLimit(limit), isJson: json }),
  request: (server, [name], { account = '', minutes, reason, organization, database, app }) =>
    request(server, {
      name,
      target: database ? 'database_app' : app ? 'remote_app' : 'asset',
      account,
      minutes,
      reason,
      organization,
    }),
  requests: (server, _words, { all = false, json = false }) =>
    requests(server, { isAll: all, isJson: json }),
  approve: (server, [id], { minutes, yes = false }) =>
    approve(server, id, { minutes, isSure: yes }),
  deny: (server, [id], { yes = false }) => deny(server, id, yes),
  kube: (server, [target]) => kube(server, target),
  'kube-token': (server, [target]) => kubeToken(server, target),
  replay: (server, [session], { speed, idle }) => replay(server, { session, speed, idle }),
};

/**
 * Splits the words of `ssh`, `scp` and `db` into own options, which come first, and words that go
 * to the program unchanged.
 */
function splitWords(args: readonly string[], own: Readonly<Record<string, boolean>>) {
  let count = 0;
  for (let word = args[count]; word !== undefined && word in own; word = args[count])
    count += own[word] ? 2 : 1;
  const { values } = parse(args.slice(0, count));
  return { flags: values, rest: args.slice(count) };
}

/** Leaves out the mark that ends own options. */
const afterMark = (words: readonly string[]) => (words[0] === '--' ? words.slice(1) : words);

/** Runs a command; returns its exit status. @throws Failure */
async function run([command, ...args]: readonly string[]): Promise<number> {
  // Options of ssh, scp and db after the target go to the program.
  if (args[0] === '--help' || args[0] === '-h') return done(t(words.usage));
  if (command === 'ssh' || command === 'scp') {
    const { flags, rest } = splitWords(args, { '--organization': true });
    const stored = await requireStored();
    // scp itself takes `--`: a file may be called like an option.
    return command === 'scp'
      ? scp(stored, flags.organization, rest)
      : ssh(stored, flags.organization, afterMark(rest));
  }
  if (command === 'db') {
    const own = { '--organization': true, '--print': false, '--json': false };
    const { flags, rest } = splitWords(args, own);
    const [target, ...more] = afterMark(rest);
    return db(await requireStored(), flags.organization, {
      target,
      prints: flags.print ?? false,
      isJson: flags.json ?? false,
      rest: more,
    });
  }
  const { values: flags, positionals } = parse(command === undefined ? [] : [command, ...args]);
  const [name, ...rest] = positionals;
  if (flags.version) return done(`sallyctl ${VERSION}`);
  if (flags.help || name === 'help') return done(t(words.usage));
  if (name === 'login')
    return login({
      server: flags.server ?? rest[0],
      user: flags.user,
      opensBrowser: !flags['no-browser'],
    });
  if (name === 'logout') return logout();
  if (name === undefined) throw new Failure(t(words.usage), STATUS.usage);
  const work = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!work) {
    const names = ['login', 'logout', 'ssh', 'scp', 'db', ...Object.keys(COMMANDS)].join(', ');
    const problem = t(words.unknownCommand, { name: JSON.stringify(name), names });
    throw wrongUsage(problem);
  }
  return work(Server.of(await requireStored(), flags.organization), rest, flags);
}

function done(text: string): number {
  line(text);
  return 0;
}

// A reader such as `head` may close the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : STATUS.failed);
});

run(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    note(error instanceof Failure ? error.message : String(error));
    process.exitCode = error instanceof Failure ? error.status : STATUS.failed;
  },
);
