import type { FormGroup } from './spec.ts';
import { words } from './words.ts';

/** The folded last section of a form, with the fields that few objects need. */
export const moreOptions = <const Name extends string>(
  fields: readonly Name[],
): FormGroup<Name> => ({ title: words.moreOptions, fields, isFolded: true });
