import type { agent } from '@sallyport/contract';
import type { FieldName, FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { words } from './words.ts';

/** The fields of a leash, for the form of an agent and for the decision about a program. */
export const LEASH_GROUPS: readonly FormGroup<FieldName<typeof agent.fields, never>>[] = [
  { title: words.where, fields: ['hosts', 'accounts'] },
  { title: words.what, fields: ['command_mode', 'commands', 'denied', 'files'] },
  { title: words.budget, fields: ['minutes', 'max_commands', 'max_kib'] },
  { title: words.confirm, fields: ['password'] },
];

export const LEASH_FIELDS: FieldOverrides = {
  commands: { hidden: ({ command_mode: mode }) => mode === 'any' },
};
