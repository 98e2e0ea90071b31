import {
  assetPermission,
  RELATIONS,
  type UnusedAccess,
  type UnusedKind,
} from '@sallyport/contract';
import { api } from '../../../../kit/api.ts';
import { askFirst, askToDelete } from '../../../../kit/dialogs/confirm.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../../kit/i18n/index.ts';
import { listUrl, nameSet, objectUrl } from '../../../resource/source.ts';
import { questionAbout, type Rule } from '../change-links.ts';
import { words } from './words.ts';

/** The field of a permission for each kind of member. */
const FIELDS = {
  user: 'users',
  user_group: 'user_groups',
  asset: 'assets',
  node: 'nodes',
} as const satisfies Record<Exclude<UnusedKind, 'permission'>, string>;

/** Reads the current permission of a row. The consequences are computed from it. */
export const readRule = ({ permission }: UnusedAccess) =>
  api.get<Rule>(objectUrl(assetPermission, permission));

/** Deletes a permission after confirmation. */
export function deletePermission(
  { permission: id, permission_display: name }: UnusedAccess,
  after: () => Promise<unknown>,
): void {
  const run = async () => {
    await api.delete(objectUrl(assetPermission, id), { quiet: true });
    await after();
  };
  askToDelete(name, run, { action: 'delete', resource: 'asset_permission', ids: [id] });
}

/** Deletes several permissions after confirmation. */
export function deletePermissions(
  rows: readonly UnusedAccess[],
  after: () => Promise<unknown>,
): void {
  const ids = rows.map(({ permission }) => permission);
  askFirst({
    message: t(words.deleteMany, { count: ids.length }),
    confirm: t(common.delete),
    danger: true,
    consequences: { action: 'delete', resource: 'asset_permission', ids },
    success: t(common.deleteSuccess),
    failure: t(common.deleteFailed),
    run: async () => {
      await api.delete(listUrl(assetPermission), {
        query: { spm: await nameSet(ids) },
        quiet: true,
      });
      await after();
    },
  });
}

/**
 * Removes an unused member from its permission after confirmation, and offers to undo it for a
 * moment.
 */
export async function removeMember(
  { kind, member, member_display, permission, permission_display: name }: UnusedAccess,
  rule: Rule,
  after: () => Promise<unknown>,
): Promise<void> {
  if (kind === 'permission' || member === null) return;
  const field = FIELDS[kind];
  const relation = RELATIONS.find(
    (one) => one.owner.key === 'assetpermission' && one.field === field,
  );
  if (!relation) return;
  const pair = { assetpermission: permission, [relation.other.key]: member };
  askFirst({
    message: t(words.removeQuestion, { name, member: member_display ?? '' }),
    confirm: t(common.remove),
    danger: true,
    consequences: questionAbout(rule, { [field]: rule[field].filter((id) => id !== member) }),
    run: async () => {
      await api.delete(`${relation.path}/`, { query: pair, quiet: true });
      await after();
      toast.undo(t(common.removeSuccess), async () => {
        await api.post(`${relation.path}/`, [pair]);
        await after();
      });
    },
  });
}
