import type { agent } from '@sallyport/contract';
import type { FieldName, FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { words } from './words.ts';

/** The fields of a leash, for the form of an agent and for the decision about a program. */
export const LEASH_GROUPS: readonly FormGroup<FieldName<typeof agent.fields, never>>[] = [
  { title: words.where, fields: ['hosts', 'databases', 'accounts'] },
  { title: words.what, fields: ['command_mode', 'commands', 'files', 'statements', 'denied'] },
  { title: words.budget, fields: ['minutes', 'max_commands', 'max_kib', 'max_rows'] },
  { title: words.confirm, fields: ['password'] },
];

/** Returns true if a field names nothing. */
export const isBlank = (value: unknown) => String(value ?? '').trim() === '';

/** Fields about servers, and those about databases, show once the leash names some. */
export const LEASH_FIELDS: FieldOverrides = {
  command_mode: { hidden: ({ hosts }) => isBlank(hosts) },
  commands: { hidden: ({ hosts, command_mode: mode }) => isBlank(hosts) || mode === 'any' },
  files: { hidden: ({ hosts }) => isBlank(hosts) },
  statements: { hidden: ({ databases }) => isBlank(databases) },
  max_rows: { hidden: ({ databases }) => isBlank(databases) },
};
