import { boolean, computed, createdAt, datetime, id, secret, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/**
 * Keys that sign requests of scripts for their owner. Only the answer to the creation contains the
 * secret.
 */
export const accessKey = defineResource({
  name: 'access_key',
  path: 'authentication/access-keys',
  area: 'own',
  scope: 'own',
  title: { en: 'API key', zh: 'API Key' },
  access: {
    read: Permission.USE,
    create: Permission.USE,
    update: Permission.USE,
    delete: Permission.USE,
  },
  labelField: 'id',
  defaultOrder: ['-date_created', 'id'],
  fields: {
    id: {
      ...id(),
      mode: 'readonly',
      search: true,
      label: { en: 'AccessKeyID', zh: 'AccessKeyID' },
    },
    name: text({
      label: LABEL.name,
      max: 128,
      required: false,
      defaultValue: '',
      search: true,
      order: true,
    }),
    secret: computed.string({
      label: { en: 'AccessKeySecret', zh: 'AccessKeySecret' },
      help: { en: 'Shown once, when the key is created', zh: '仅在创建时显示一次' },
    }),
    password: secret({
      label: { en: 'Your password', zh: '本人密码' },
      max: 1024,
      help: {
        en: 'Confirms your identity if you have no second factor',
        zh: '未设置双重认证时，创建密钥前用于确认身份',
      },
    }),
    is_active: boolean({ label: { en: 'Active', zh: '激活' }, defaultValue: true, filter: true }),
    date_expired: datetime({
      label: { en: 'Date expired', zh: '失效日期' },
      nullable: true,
      order: true,
    }),
    date_created: createdAt(),
    date_last_used: datetime({
      label: { en: 'Date last used', zh: '最后使用日期' },
      nullable: true,
      readOnly: true,
      order: true,
    }),
    remote_addr: text({ label: { en: 'Last address', zh: '最后使用地址' }, readOnly: true }),
  },
});
