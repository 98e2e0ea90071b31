import {
  computed,
  createdAt,
  createdBy,
  id,
  organizationFields,
  secret,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** The privileged account on assets for background work. */
export const adminUser = defineResource({
  name: 'admin_user',
  path: 'assets/admin-users',
  area: 'assets',
  scope: 'org',
  title: { en: 'Admin user', zh: '管理用户' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  display: '{name}({username})',
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    username: text({
      label: LABEL.username,
      max: 32,
      format: 'username',
      example: 'root',
      required: false,
      defaultValue: '',
      search: true,
      order: true,
      filter: true,
    }),
    password: secret({
      label: LABEL.password,
      max: 512,
      help: { en: 'The password, or the passphrase of the key', zh: '密码或密钥密码' },
    }),
    private_key: secret({ label: LABEL.privateKey, max: 65_536, multiline: true }),
    public_key: secret({ label: LABEL.publicKey, max: 65_536, multiline: true }),
    comment: text({
      label: LABEL.comment,
      required: false,
      multiline: true,
      defaultValue: '',
      order: true,
    }),
    assets_amount: computed.integer({ label: LABEL.assetsAmount }),
    date_secret_changed: computed.datetime({
      label: { en: 'Date secret changed', zh: '密码或密钥更新日期' },
      detailOnly: true,
    }),
    has_previous_secret: computed.boolean({
      label: { en: 'Previous secret kept', zh: '已保留旧密码或密钥' },
      detailOnly: true,
    }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
