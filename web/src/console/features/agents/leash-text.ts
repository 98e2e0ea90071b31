import { t } from '../../../kit/i18n/index.ts';
import type { FormValues } from '../../resource/form/form-state.ts';
import { isBlank } from './leash-groups.ts';
import { words } from './words.ts';

/** Returns the lines of a field as one phrase. */
function phrase(value: unknown): string {
  const lines = String(value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length === 0 ? t(words.blank) : lines.join(', ');
}

const FILES = {
  none: words.mayNoFiles,
  read: words.mayReadFiles,
  write: words.mayWriteFiles,
} as const;

/** Returns what an agent may do on servers. */
function hostText({ hosts, accounts, command_mode: mode, commands, files }: FormValues) {
  const isAny = mode === 'any';
  return [
    t(words.mayHosts, { hosts: phrase(hosts), accounts: phrase(accounts) }),
    isAny ? t(words.mayAny) : t(words.mayListed, { commands: phrase(commands) }),
    t(files === 'read' || files === 'write' ? FILES[files] : FILES.none),
  ];
}

/** Returns what an agent may do with the values of a form, in words. */
export function leashText(values: FormValues): readonly string[] {
  const { hosts, databases, accounts, denied } = values;
  const { minutes, max_commands: most, max_kib: kib } = values;
  const hasDatabases = !isBlank(databases);
  const hasHosts = !isBlank(hosts) || !hasDatabases;
  return [
    ...(hasHosts ? hostText(values) : []),
    ...(hasDatabases
      ? [
          t(words.mayDatabases, { databases: phrase(databases), accounts: phrase(accounts) }),
          t(values.statements === 'change' ? words.mayChangeRows : words.mayReadRows, {
            rows: String(values.max_rows ?? ''),
          }),
        ]
      : []),
    ...(isBlank(denied) ? [] : [t(words.mayNotWords, { denied: phrase(denied) })]),
    t(words.mayBudget, {
      minutes: String(minutes ?? ''),
      commands: String(most ?? ''),
      kib: String(kib ?? ''),
    }),
    t(words.mayRights),
  ];
}
