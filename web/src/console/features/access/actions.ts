import { ACTIONS, actionMask, actionNames } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { words } from '../../resource/detail/words.ts';

type Name = (typeof ACTIONS)[number]['value'];

/** An action with the actions that it includes. */
export interface ActionBranch {
  readonly name: Name;
  readonly children: readonly ActionBranch[];
}

/** The actions of `all` as a tree. Ticking a branch ticks its parts. */
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

/** All actions. `all` excludes port forwarding and the texts of desktops. */
export const ACTION_TREES: readonly ActionBranch[] = [
  ACTION_TREE,
  { name: 'forward_port', children: [] },
  { name: 'clipboard_copy', children: [] },
  { name: 'clipboard_paste', children: [] },
];

const leavesOf = (branch: ActionBranch): readonly Name[] =>
  branch.children.length === 0 ? [branch.name] : branch.children.flatMap(leavesOf);
const LEAVES_OF_ALL = leavesOf(ACTION_TREE);
const LEAVES = ACTION_TREES.flatMap(leavesOf);

/** Names each allowed action; `all` is named by its parts, because some actions are no part. */
export function actionsText(names: readonly string[]): string {
  const mask = actionMask(names);
  return ACTIONS.filter(({ value, mask: bit }) => LEAVES.includes(value) && (mask & bit) !== 0)
    .map(({ label }) => t(label))
    .join(t(words.comma));
}

/** Returns whether all, some or no parts of a branch are ticked. */
export function tickOf(branch: ActionBranch, ticked: readonly string[]): 'all' | 'some' | 'none' {
  const mask = actionMask(ticked);
  const leaves = leavesOf(branch);
  const on = leaves.filter((name) => (mask & actionMask([name])) !== 0).length;
  return on === leaves.length ? 'all' : on > 0 ? 'some' : 'none';
}

/** Ticks or unticks a branch. The names are derived from the bits, so they stay consistent. */
export function tick(branch: ActionBranch, on: boolean, ticked: readonly string[]): string[] {
  const mask = actionMask(ticked);
  const before = LEAVES.filter((name) => (mask & actionMask([name])) !== 0);
  const leaves = leavesOf(branch);
  const after = on ? [...before, ...leaves] : before.filter((name) => !leaves.includes(name));
  // `all` also covers actions of later versions, so it is more than the sum of today's parts.
  return actionNames(
    actionMask(LEAVES_OF_ALL.every((name) => after.includes(name)) ? ['all', ...after] : after),
  );
}
