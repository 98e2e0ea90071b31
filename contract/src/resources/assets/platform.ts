import { boolean, choice, id, object, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import { CHARSETS } from './charset.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;

/**
 * The operating system of an asset. Migrations insert seven internal platforms; assets refer to a
 * platform by name.
 */
export const platform = defineResource({
  name: 'platform',
  path: 'assets/platforms',
  area: 'assets',
  scope: 'global',
  title: { en: 'Platform', zh: '系统平台' },
  access: { read: Permission.AUDIT, create: SUPER, update: SUPER, delete: SUPER },
  key: 'name',
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 50,
      format: 'slug',
      unique: 'global',
      search: true,
      order: true,
      filter: true,
    }),
    base: choice({
      label: { en: 'Base', zh: '基础' },
      choices: ['Linux', 'Unix', 'MacOS', 'BSD', 'Windows', 'Other'].map((name) => ({
        value: name,
        label: { en: name, zh: name === 'Other' ? '其他' : name },
      })),
      defaultValue: 'Linux',
      filter: true,
      order: true,
    }),
    charset: choice({
      label: { en: 'Charset', zh: '编码' },
      choices: CHARSETS,
      defaultValue: 'utf8',
    }),
    old_ssh: boolean({
      label: { en: 'Old SSH algorithms', zh: '旧 SSH 算法' },
      defaultValue: false,
      yesMeans: 'care',
      help: {
        en: 'Allows SHA-1, CBC, ssh-rsa and DSA for assets that offer nothing newer, and marks their sessions',
        zh: '资产不支持新算法时允许使用 SHA-1、CBC、ssh-rsa 和 DSA，并标记相应会话',
      },
    }),
    internal: boolean({ label: { en: 'Internal', zh: '内置' }, readOnly: true }),
    // Options of remote desktops; only Windows has them.
    meta: object({
      label: { en: 'Meta', zh: '元数据' },
      nullable: true,
      fields: {
        security: choice({
          label: { en: 'RDP security', zh: 'RDP 安全' },
          choices: ['rdp', 'nla', 'tls', 'any'].map((value) => ({
            value,
            label: { en: value.toUpperCase(), zh: value.toUpperCase() },
          })),
          required: false,
          help: {
            en: 'NLA requires network level authentication, TLS and RDP do without it, ANY leaves it to the server; all use TLS',
            zh: 'NLA 必须使用网络级身份验证，TLS 和 RDP 不使用，ANY 由服务器选择；均使用 TLS',
          },
        }),
        console: boolean({ label: { en: 'RDP console', zh: 'RDP 控制台' }, required: false }),
      },
    }),
    comment: text({
      label: LABEL.comment,
      required: false,
      nullable: true,
      multiline: true,
      order: true,
    }),
  },
});
