import { type ACTIONS, actionMask, actionNames } from '@sallyport/contract';

type Name = (typeof ACTIONS)[number]['value'];

/** An action, and those it consists of. */
export interface ActionBranch {
  readonly name: Name;
  readonly children: readonly ActionBranch[];
}

/** All that can be allowed, as a tree: ticking a branch ticks what it consists of. */
export const ACTION_TREE: ActionBranch = {
  name: 'all',
  children: [
    { name: 'connect', children: [] },
    {
      name: 'updownload',
      children: [
        { name: 'upload_file', children: [] },
        { name: 'download_file', children: [] },
      ],
    },
  ],
};

const leavesOf = (branch: ActionBranch): readonly Name[] => (branch.children.length === 0 ? [branch.name] : branch.children.flatMap(leavesOf));
const ALL_LEAVES = leavesOf(ACTION_TREE);

/** How much of a branch is ticked. */
export function tickOf(branch: ActionBranch, ticked: readonly string[]): 'all' | 'some' | 'none' {
  const mask = actionMask(ticked);
  const leaves = leavesOf(branch);
  const on = leaves.filter((name) => (mask & actionMask([name])) !== 0).length;
  return on === leaves.length ? 'all' : on > 0 ? 'some' : 'none';
}

/** Ticks or unticks a branch; the names follow from the bits, so that nothing contradicts itself. */
export function tick(branch: ActionBranch, on: boolean, ticked: readonly string[]): string[] {
  const mask = actionMask(ticked);
  const before = ALL_LEAVES.filter((name) => (mask & actionMask([name])) !== 0);
  const leaves = leavesOf(branch);
  const after = on ? [...before, ...leaves] : before.filter((name) => !leaves.includes(name));
  // Everything is more than the sum of today's parts: it covers what is added later.
  return ALL_LEAVES.every((name) => after.includes(name)) ? actionNames(actionMask(['all'])) : actionNames(actionMask(after));
}
