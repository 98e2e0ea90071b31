import { RELATION_SUMMARIES } from 'virtual:relations';
import { api } from '../../../kit/api.ts';

/** Returns the ids to add and to remove to turn `before` into `after`. */
export function difference(
  before: readonly string[],
  after: readonly string[],
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  return {
    added: after.filter((id) => !before.includes(id)),
    removed: before.filter((id) => !after.includes(id)),
  };
}

interface Links {
  readonly owner: string;
  readonly field: string;
  /** The object whose links change, by its key in the relation. */
  readonly of: Readonly<Record<string, string>>;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Adds and removes only the pairs of a relation that differ, so concurrent changes of other users
 * survive. `field` is the name of the related field of `owner`, such as `users` of `usergroup`.
 */
export async function changePairs({ owner, field, of, before, after }: Links): Promise<void> {
  const relation = RELATION_SUMMARIES[`${owner}.${field}`];
  if (!relation) throw new Error(`${owner} has no relation ${field}`);
  const linked = owner in of ? relation.other : owner;
  const pairOf = (id: string) => ({ ...of, [linked]: id });
  const { added, removed } = difference(before, after);
  if (added.length > 0) await api.post(`${relation.path}/`, added.map(pairOf));
  for (const id of removed) await api.delete(`${relation.path}/`, { query: pairOf(id) });
}
