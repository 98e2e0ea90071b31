import {
  computed,
  createdBy,
  datetime,
  integer,
  organizationFields,
  reference,
  secret,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import type { Connectivity } from './asset.ts';

/**
 * Source of an account's secret: stored for the asset, its admin user, or a system user granted by
 * permissions.
 */
export type AssetUserBackend = 'db' | 'admin_user' | 'system_user' | 'system_user_dynamic';

/** Result of the last change of a secret by a password plan. */
export interface Rotation {
  readonly is_success: boolean;
  readonly date: string;
}

/** States of secrets that lists of accounts filter by. */
export const SECRET_STATES = ['old', 'unchanged', 'missing'] as const;
export type SecretState = (typeof SECRET_STATES)[number];
/** A secret is old if it has not changed for this number of days. */
export const OLD_SECRET_DAYS = 90;

/**
 * An account on an asset. Rows are versions of a secret for a username; lists add the accounts of
 * admin users and system users.
 */
export const assetUser = defineResource({
  name: 'asset_user',
  path: 'assets/asset-users',
  area: 'secrets',
  scope: 'org',
  title: { en: 'Asset user', zh: '资产用户' },
  access: { read: Permission.ADMIN, create: Permission.ADMIN },
  readByFeature: true,
  labelField: 'username',
  defaultOrder: ['-version'],
  display: '{username}@{hostname}',
  endsWithOrganization: true,
  pages: { list: 'xpack/vault' },
  fields: {
    /**
     * Owner of the secret and asset, joined by `_`; for a dynamic system user also the user. A new
     * version has its own id, which can be read too.
     */
    id: text({ label: { en: 'ID', zh: 'ID' }, max: 110, readOnly: true, filter: true }),
    asset: reference({ label: { en: 'Asset', zh: '资产' }, to: 'asset' }),
    hostname: computed.string({
      label: { en: 'Hostname', zh: '主机名' },
      order: true,
      filter: true,
    }),
    ip: computed.string({
      label: { en: 'IP', zh: 'IP' },
      order: true,
      filter: true,
      example: '10.0.0.5',
    }),
    username: text({ label: LABEL.username, max: 128, format: 'username', filter: true }),
    password: secret({
      label: LABEL.password,
      max: 512,
      help: { en: 'The password, or the passphrase of the key', zh: '密码或密钥密码' },
    }),
    private_key: secret({ label: LABEL.privateKey, max: 65_536, multiline: true }),
    public_key: secret({ label: LABEL.publicKey, max: 65_536, multiline: true }),
    backend: computed.string({ label: { en: 'Backend', zh: '后端' }, example: 'db', filter: true }),
    /**
     * Name of the admin user or system user; for a stored version, the part of the product that
     * stored it.
     */
    origin: computed.string({ label: { en: 'Origin', zh: '来源' }, example: 'user' }),
    /** Id of the admin user or system user; for a stored version, the version. */
    origin_id: computed.string({ label: { en: 'Origin ID', zh: '来源 ID' } }),
    /** True for the secret in use for this username on the asset. */
    is_best: computed.boolean({ label: { en: 'In use', zh: '生效' } }),
    has_secret: computed.boolean({ label: { en: 'Has a secret', zh: '有密码或密钥' } }),
    version: integer({ label: { en: 'Version', zh: '版本' }, readOnly: true }),
    connectivity: computed.json<Connectivity>({
      label: { en: 'Connectivity', zh: '可连接' },
      example: { status: 2, datetime: '2026-01-31 08:30:00 +0800' },
    }),
    /** Time of the last change of the secret; null if it is the first one. */
    date_secret_changed: computed.datetime({ label: { en: 'Secret changed', zh: '密码更新日期' } }),
    /** Start of the last session, among the recent ones of the asset. */
    date_last_used: computed.datetime({ label: { en: 'Last used', zh: '最近使用' } }),
    /** Last result of a password plan; null if none changed the secret. */
    rotation: computed.json<Rotation | null>({
      label: { en: 'Last rotation', zh: '最近改密' },
      example: null,
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    created_by: createdBy(),
    date_created: datetime({ label: { en: 'Date created', zh: '创建日期' }, readOnly: true }),
    date_updated: datetime({ label: { en: 'Date updated', zh: '更新日期' }, readOnly: true }),
    ...organizationFields(),
  },
});
