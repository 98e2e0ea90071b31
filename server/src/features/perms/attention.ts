import { assetPermission, databaseAppPermission, remoteAppPermission } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { type Attention, attentionRows } from '../../resources/attention.ts';
import {
  DATABASE_APP_PERMISSION_ATTENTION,
  PERMISSION_ATTENTION,
  REMOTE_APP_PERMISSION_ATTENTION,
} from './rule-hooks.ts';

const byName = { name: sql`t.name` };
const byEnd = { ...byName, date: sql`t.date_expired` };

export const permissionAttention: Attention = {
  rows: {
    permissions_without_reviewers: {
      resource: assetPermission,
      search: attentionRows(
        'asset_permission',
        PERMISSION_ATTENTION.permissions_without_reviewers,
        byName,
      ),
    },
    remote_app_permissions_without_reviewers: {
      resource: remoteAppPermission,
      search: attentionRows(
        'remote_app_permission',
        REMOTE_APP_PERMISSION_ATTENTION.remote_app_permissions_without_reviewers,
        byName,
      ),
    },
    database_app_permissions_without_reviewers: {
      resource: databaseAppPermission,
      search: attentionRows(
        'database_app_permission',
        DATABASE_APP_PERMISSION_ATTENTION.database_app_permissions_without_reviewers,
        byName,
      ),
    },
    permissions_ending: {
      resource: assetPermission,
      search: attentionRows('asset_permission', PERMISSION_ATTENTION.permissions_ending, byEnd),
      soonestFirst: true,
    },
    remote_app_permissions_ending: {
      resource: remoteAppPermission,
      search: attentionRows(
        'remote_app_permission',
        REMOTE_APP_PERMISSION_ATTENTION.remote_app_permissions_ending,
        byEnd,
      ),
      soonestFirst: true,
    },
    database_app_permissions_ending: {
      resource: databaseAppPermission,
      search: attentionRows(
        'database_app_permission',
        DATABASE_APP_PERMISSION_ATTENTION.database_app_permissions_ending,
        byEnd,
      ),
      soonestFirst: true,
    },
    unused_permissions: {
      resource: assetPermission,
      search: attentionRows('asset_permission', PERMISSION_ATTENTION.unused_permissions, {
        ...byName,
        date: sql`(select max(use.last_used) from permission_use use
          where use.permission_id = t.id)`,
      }),
    },
  },
};
