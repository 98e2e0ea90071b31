import { datetime, many, text } from '../kit/field.ts';
import { LABEL } from '../resources/labels.ts';
import { assetPermission } from '../resources/perms/asset-permission.ts';

/** Maximum people of one call. */
export const MAX_NEWCOMERS = 50;

/**
 * Fields of POST users/users/newcomers/: new accounts with their groups, access and end, in one
 * transaction.
 */
export const NEWCOMER_FIELDS = {
  people: text({
    label: { en: 'People', zh: '人员' },
    help: {
      en: 'One per line: ana@example.com, or Ana Cole <ana@example.com>. The part before the @ becomes the username.',
      zh: '每行一人：wang@example.com，或 王芳 <wang@example.com>。@ 前的部分作为用户名。',
    },
    max: 20_000,
    multiline: true,
    example: 'Ana Cole <ana.cole@example.com>',
  }),
  groups: many({
    label: { en: 'User groups', zh: '用户组' },
    to: 'user_group',
    required: false,
  }),
  assets: many({ label: LABEL.assets, to: 'asset', required: false }),
  nodes: many({ label: { en: 'Nodes', zh: '节点' }, to: 'node', required: false }),
  system_users: many({
    label: { en: 'System users', zh: '系统用户' },
    to: 'system_user',
    required: false,
  }),
  actions: assetPermission.fields.actions,
  date_expired: datetime({
    label: { en: 'Accounts and access end', zh: '账号和授权失效日期' },
    defaultValue: 'never',
    required: false,
  }),
};

/** A new account, and the link with which its user chooses a password. */
export interface Newcomer {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** Works once; empty if the server mails it. */
  readonly link: string;
}

/** Answer of POST users/users/newcomers/. */
export interface Newcomers {
  readonly users: readonly Newcomer[];
  /** The permission of all of them; null without assets and nodes. */
  readonly permission: string | null;
  /** True if the server mails the links. */
  readonly mailed: boolean;
}
