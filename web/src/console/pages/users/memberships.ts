import { RELATIONS } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';

const PATH = `${RELATIONS.find(({ field, owner }) => field === 'users' && owner.key === 'usergroup')?.path}/`;

interface Pair {
  readonly user: string;
  readonly usergroup: string;
}

/** Adds and removes the memberships that differ, and no others: what somebody else changes meanwhile is not lost. */
export async function changeMemberships(before: readonly string[], after: readonly string[], pairOf: (id: string) => Pair): Promise<void> {
  const added = after.filter((id) => !before.includes(id));
  if (added.length > 0) await api.post(PATH, added.map(pairOf));
  for (const id of before.filter((one) => !after.includes(one))) await api.delete(PATH, { query: { ...pairOf(id) } });
}
