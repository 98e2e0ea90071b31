import type { FormGroup } from '../form/spec.ts';
import type { Source } from '../source.ts';

/** What of a form's fields can be shown: all but those that are only ever written. */
export function factsOf<T>(source: Source, groups: readonly FormGroup[]): (keyof T & string)[] {
  const names = groups
    .flatMap(({ fields }) => fields)
    .filter((name) => source.fields[name]?.mode !== 'writeonly');
  return names as (keyof T & string)[];
}
