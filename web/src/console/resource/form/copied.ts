import type { Source } from '../source.ts';
import type { FormValues } from './form-state.ts';

/** Search parameter of a create page: the id of the object to copy. */
export const LIKE = 'like';

/**
 * Returns the values of an object that a copy starts with: no unique names, secrets or values of
 * the server, and nothing that the declaration excludes.
 */
export function copiedValues({ fields, copyWithout = [] }: Source, object: FormValues): FormValues {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => {
      const field = fields[name];
      if (field?.mode !== 'readwrite' || field.kind === 'id') return false;
      return !copyWithout.includes(name) && !(field.kind === 'text' && field.unique !== undefined);
    }),
  );
}
