import { organization } from '@sallyport/contract';
import { mayUse } from '../../../platform/actor.ts';
import type { Following } from '../../../resources/hooks.ts';

/**
 * Tables that are restored with an account. Sign-in sessions, tokens, access keys, devices and
 * agents are not.
 */
export const USER_FOLLOWING: readonly Following[] = [
  {
    table: 'organization_member',
    column: 'user_id',
    // Administrators and auditors of an organization are appointed by users who may change it.
    mayRestore: ({ role }, { actor, keepsGrants }) =>
      role === 'User' || (keepsGrants && mayUse(actor, organization, 'update')),
  },
  ...[
    'former_password',
    'passkey',
    'recovery_code',
    'login_confirm_setting',
    'login_confirm_setting_reviewers',
    'external_identity',
    'scim_user',
    'provider_groups',
    'provider_membership',
    'provider_role',
    'favorite_asset',
    'favorite_database_app',
    'favorite_remote_app',
    'snippet',
    'known_place',
    'sign_in_place',
    'sign_in_hour',
  ].map((table) => ({ table, column: 'user_id' })),
  { table: 'ssh_key', column: 'user_id', title: { en: 'SSH keys', zh: 'SSH 密钥' } },
  {
    table: 'totp',
    column: 'user_id',
    sealed: ['secret'],
    key: 'user_id',
    title: { en: 'Authenticator', zh: '动态口令' },
  },
];
