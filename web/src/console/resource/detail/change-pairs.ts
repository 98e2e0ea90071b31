import { RELATIONS } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';

type Pair = Readonly<Record<string, string>>;

/** What has to be added and removed to come from one set to another. */
export function difference(
  before: readonly string[],
  after: readonly string[],
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  return {
    added: after.filter((id) => !before.includes(id)),
    removed: before.filter((id) => !after.includes(id)),
  };
}

/**
 * Adds and removes the pairs of a relation that differ, and no others: what somebody else changes meanwhile is neither lost nor taken back. `field` is
 * the one that the owner, such as `usergroup`, has for the others.
 */
export async function changePairs(
  owner: string,
  field: string,
  before: readonly string[],
  after: readonly string[],
  pairOf: (id: string) => Pair,
): Promise<void> {
  const relation = RELATIONS.find((one) => one.owner.key === owner && one.field === field);
  if (!relation) throw new Error(`${owner} has no relation ${field}`);
  const { added, removed } = difference(before, after);
  if (added.length > 0) await api.post(`${relation.path}/`, added.map(pairOf));
  for (const id of removed) await api.delete(`${relation.path}/`, { query: { ...pairOf(id) } });
}
