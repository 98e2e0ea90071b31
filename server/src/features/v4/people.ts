import {
  ACCOUNT_ROLE_LABELS,
  organization,
  type Row,
  say,
  user,
  userGroup,
} from '@sallyport/contract';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { engineSource, type Presentation, readRelated } from './engine-source.ts';
import type { LaterRow, Source } from './lists.ts';
import { DEFAULT_ORGANIZATION_ID, labelled, organizationOf } from './values.ts';

/** Ids of the built-in roles of versions 3 and 4. */
const SYSTEM_ROLES = { Admin: 1, Auditor: 2, User: 3 } as const;
const roleId = (number: number) =>
  `${'0'.repeat(8)}-0000-0000-0000-${String(number).padStart(12, '0')}`;

function toUser(row: Row<typeof user>, { related, language, isDetail }: Presentation): LaterRow {
  return {
    id: row.id,
    name: row.name,
    username: row.username,
    email: row.email,
    wechat: row.wechat,
    phone: row.phone,
    comment: row.comment ?? '',
    source: labelled(user.fields.source, row.source, language),
    mfa_level: labelled(user.fields.mfa_level, row.mfa_level, language),
    mfa_enabled: row.mfa_enabled,
    mfa_force_enabled: row.mfa_force_enabled,
    is_active: row.is_active,
    is_valid: row.is_valid,
    is_expired: row.is_expired,
    is_first_login: row.is_first_login,
    is_service_account: false,
    is_superuser: row.role === 'Admin',
    login_blocked: row.login_blocked,
    groups: row.groups.flatMap((id) => {
      const group = related.groups?.get(id);
      return group ? [{ id, name: group.name }] : [];
    }),
    system_roles: [
      {
        id: roleId(SYSTEM_ROLES[row.role]),
        display_name: say(ACCOUNT_ROLE_LABELS[row.role], language),
      },
    ],
    org_roles: [],
    labels: [],
    avatar_url: row.avatar_url,
    created_by: row.created_by,
    date_joined: row.date_joined,
    date_expired: row.date_expired,
    date_password_last_updated: row.date_password_last_updated,
    last_login: row.last_login,
    ...(isDetail && { login_confirm_settings: row.login_confirm_settings ?? [] }),
  };
}

/** Users in the scope of the caller. */
export function userSource(engines: Engines): Source {
  return engineSource(engines, user, {
    filters: {
      name: 'name',
      username: 'username',
      email: 'email',
      source: 'source',
      is_active: 'is_active',
      is_valid: 'is_valid',
    },
    orders: {
      name: 'name',
      username: 'username',
      email: 'email',
      date_joined: 'date_joined',
      last_login: 'last_login',
    },
    related: async (rows, context) => ({
      groups: await readRelated(
        engineOf(engines, userGroup),
        { values: rows.flatMap(({ groups }) => groups), fields: ['name'] },
        context,
      ),
    }),
    present: toUser,
  });
}

/** Groups; the answer about one of them names its members. */
export function groupSource(engines: Engines): Source {
  return engineSource(engines, userGroup, {
    filters: { name: 'name' },
    orders: { name: 'name' },
    related: async (rows, context, isDetail) => ({
      users: await readRelated(
        engineOf(engines, user),
        {
          values: isDetail ? rows.flatMap(({ users }) => users) : [],
          fields: ['name', 'username'],
        },
        context,
      ),
    }),
    present: (row, { related, isDetail }) => ({
      id: row.id,
      name: row.name,
      comment: row.comment,
      users_amount: row.users_amount,
      labels: [],
      created_by: row.created_by,
      date_created: row.date_created,
      ...organizationOf(row),
      ...(isDetail && {
        users: [...(related.users?.values() ?? [])].map(({ id, name, username }) => ({
          id,
          name: `${name}(${username})`,
        })),
      }),
    }),
  });
}

/** Organizations, for administrators of the installation. */
export function organizationSource(engines: Engines): Source {
  return engineSource(engines, organization, {
    filters: { name: 'name' },
    orders: { name: 'name' },
    present: (row) => {
      const isDefault = row.id === 'DEFAULT';
      return {
        id: isDefault ? DEFAULT_ORGANIZATION_ID : row.id,
        name: row.name,
        comment: row.comment,
        is_default: isDefault,
        is_root: false,
        internal: isDefault,
        created_by: row.created_by,
        date_created: row.date_created,
        resource_statistics: { users_amount: row.users_amount },
      };
    },
  });
}
