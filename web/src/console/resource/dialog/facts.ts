import type { FormGroup } from '../form/spec.ts';
import type { Source } from '../source.ts';

/** Returns the fields of a form that can be shown: all except write-only fields. */
export function factsOf<T>(source: Source, groups: readonly FormGroup[]): (keyof T & string)[] {
  const names = groups
    .flatMap(({ fields }) => fields)
    .filter((name) => source.fields[name]?.mode !== 'writeonly');
  return names as (keyof T & string)[];
}
