import { computed, createdAt, datetime, id, secret, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** Public keys with which their owner signs in over SSH; the key of the profile is one of them. */
export const sshKey = defineResource({
  name: 'ssh_key',
  path: 'authentication/ssh-keys',
  area: 'own',
  scope: 'own',
  title: { en: 'SSH key', zh: 'SSH 密钥' },
  access: { read: Permission.USE, create: Permission.USE, delete: Permission.USE },
  defaultOrder: ['-date_created', 'id'],
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      help: { en: 'Such as the device of the key', zh: '例如密钥所在的设备' },
      order: true,
    }),
    public_key: text({
      label: LABEL.publicKey,
      max: 16_384,
      multiline: true,
      unique: 'own',
      detailOnly: true,
      help: {
        en: 'The line of a .pub file, such as ssh-ed25519 AAAA… or sk-ssh-ed25519@openssh.com AAAA…',
        zh: '.pub 文件中的一行，例如 ssh-ed25519 AAAA… 或 sk-ssh-ed25519@openssh.com AAAA…',
      },
      example:
        'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4 laptop',
    }),
    password: secret({
      label: { en: 'Your password', zh: '本人密码' },
      max: 1024,
      help: {
        en: 'Confirms your identity if you have no second factor',
        zh: '未设置双重认证时，添加密钥前用于确认身份',
      },
    }),
    type: computed.string({ label: { en: 'Type', zh: '类型' }, example: 'ssh-ed25519' }),
    fingerprint: computed.string({
      label: { en: 'Fingerprint', zh: '指纹' },
      example: 'SHA256:Jf9x1ytDCIUxYK2yW1sGAGvDzGKkM3dn3eMQXWqSWkU',
    }),
    date_expired: datetime({
      label: { en: 'Date expired', zh: '失效日期' },
      nullable: true,
      example: '2036-01-31 08:30:00 +0800',
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
