import { DUTIES, DUTY } from '../../duties.ts';
import { SIGN_IN_SOURCES } from '../../features/features.ts';
import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  createdBy,
  datetime,
  id,
  many,
  secret,
  text,
} from '../../kit/field.ts';
import type { NamedRow } from '../../kit/field-kinds.ts';
import { defineResource } from '../../kit/resource.ts';
import { ACCOUNT_ROLE_LABELS, Permission } from '../../roles.ts';
import { SOURCE_STATE_LABELS, type SourceState } from '../../source-states.ts';
import { LABEL } from '../labels.ts';

/**
 * Only administrators of the installation assign roles and external sources; those of an
 * organization create ordinary local accounts.
 */
const ABOVE_ORGANIZATIONS = Permission.SUPER | Permission.ADMIN;

/** Users who sign in. Accounts belong to the installation; an organization sees its members. */
export const user = defineResource({
  name: 'user',
  table: 'account',
  path: 'users/users',
  area: 'users',
  parameters: [
    'org_role',
    'is_valid',
    'not_seen_days',
    'used_days',
    'unused_days',
    'used_on',
    'is_online',
    'attention',
  ],
  scope: 'global',
  title: { en: 'User', zh: '用户' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  miniFields: ['id', 'name', 'username'],
  defaultOrder: ['username'],
  // Check boxes of existing consoles, which open the fields of password and key.
  ignoredFields: ['update_password', 'set_public_key'],
  feedsGrants: true,
  display: '{name}({username})',
  searchable: { title: '{name}', note: '{username} · {email}', pinyin: true },
  restorable: true,
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      example: 'Li Wei',
      search: true,
      order: true,
      filter: true,
    }),
    username: text({
      label: LABEL.username,
      max: 128,
      format: 'username',
      unique: 'global',
      search: true,
      order: true,
      filter: true,
    }),
    password: secret({ label: LABEL.password, max: 128 }),
    email: text({
      label: { en: 'Email', zh: '邮箱' },
      max: 128,
      format: 'email',
      unique: 'global',
      search: true,
      order: true,
      filter: true,
    }),
    password_strategy: {
      ...choice({
        label: { en: 'Password strategy', zh: '密码策略' },
        choices: [
          {
            value: 0,
            label: { en: 'Email a setup link', zh: '通过邮件发送设置密码的链接' },
          },
          { value: 1, label: { en: 'Set password', zh: '设置密码' } },
        ],
        required: false,
        // This choice works without a mail server.
        example: 1,
      }),
      mode: 'writeonly',
    },
    public_key: secret({
      label: { en: 'SSH public key', zh: 'SSH 公钥' },
      max: 4096,
      multiline: true,
    }),
    wechat: text({
      label: { en: 'WeChat', zh: '微信' },
      max: 128,
      required: false,
      defaultValue: '',
    }),
    phone: text({ label: { en: 'Phone', zh: '手机' }, max: 20, required: false, nullable: true }),
    mfa_level: choice({
      label: { en: 'Second factor', zh: '双重认证' },
      choices: [
        { value: 0, label: { en: 'Disable', zh: '禁用' } },
        { value: 1, label: { en: 'Enable', zh: '启用' } },
        { value: 2, label: { en: 'Required', zh: '强制启用' } },
      ],
      defaultValue: 0,
    }),
    mfa_enabled: computed.boolean({ label: { en: 'Second factor set up', zh: '双重认证已启用' } }),
    mfa_level_display: choiceLabelOf('mfa_level', {
      en: 'Second factor level',
      zh: '双重认证级别',
    }),
    mfa_force_enabled: computed.boolean({
      label: { en: 'Second factor required', zh: '双重认证强制启用' },
    }),
    comment: text({ label: LABEL.comment, required: false, nullable: true, multiline: true }),
    source: choice({
      label: { en: 'Source', zh: '用户来源' },
      choices: [
        { value: 'local', label: { en: 'Database', zh: '数据库' } },
        ...SIGN_IN_SOURCES.map(({ value, label }) => ({
          value,
          label,
          needs: ABOVE_ORGANIZATIONS,
        })),
      ],
      defaultValue: 'local',
      filter: true,
      order: true,
    }),
    source_state: choice({
      label: { en: 'State at the source', zh: '来源处状态' },
      choices: (Object.keys(SOURCE_STATE_LABELS) as SourceState[]).map((value) => ({
        value,
        label: SOURCE_STATE_LABELS[value],
      })),
      defaultValue: 'listed',
      readOnly: true,
      filter: true,
    }),
    date_source_state: datetime({
      label: { en: 'State at the source since', zh: '来源处状态变更时间' },
      nullable: true,
      readOnly: true,
    }),
    is_valid: computed.boolean({ label: { en: 'Validity', zh: '有效' } }),
    is_expired: computed.boolean({
      label: { en: 'Is expired', zh: '已过期' },
      example: false,
      yesMeans: 'care',
    }),
    is_active: boolean({ label: { en: 'Active', zh: '激活' }, defaultValue: true, filter: true }),
    created_by: createdBy(),
    is_first_login: boolean({ label: { en: 'First sign-in', zh: '首次登录' }, readOnly: true }),
    date_password_last_updated: datetime({
      label: { en: 'Date password last updated', zh: '最后更新密码日期' },
      nullable: true,
      readOnly: true,
    }),
    date_expired: datetime({
      label: { en: 'Date expired', zh: '失效日期' },
      nullable: true,
      defaultValue: 'never',
    }),
    avatar_url: computed.string({ label: { en: 'Avatar', zh: '头像' } }),
    source_display: choiceLabelOf('source', { en: 'Source', zh: '用户来源' }),
    date_joined: datetime({
      label: { en: 'Date joined', zh: '创建日期' },
      readOnly: true,
      order: true,
    }),
    last_login: datetime({
      label: { en: 'Last sign-in', zh: '最后登录日期' },
      nullable: true,
      readOnly: true,
      order: true,
    }),
    groups: many({
      label: { en: 'User groups', zh: '用户组' },
      to: 'user_group',
      through: 'user_group_users',
      required: false,
    }),
    role: choice({
      label: { en: 'Role', zh: '角色' },
      choices: [
        { value: 'Admin', label: ACCOUNT_ROLE_LABELS.Admin, needs: ABOVE_ORGANIZATIONS },
        { value: 'User', label: ACCOUNT_ROLE_LABELS.User },
        { value: 'Auditor', label: ACCOUNT_ROLE_LABELS.Auditor, needs: ABOVE_ORGANIZATIONS },
      ],
      defaultValue: 'User',
      filter: true,
      order: true,
    }),
    duty: choice({
      label: { en: 'Duty', zh: '职责' },
      help: {
        en: 'Limits an administrator or auditor to one duty. Holders cannot connect to assets',
        zh: '将管理员或审计员限定为一项职责；承担职责的账号不能连接资产',
      },
      choices: [
        { value: '', label: { en: 'None', zh: '无' } },
        ...DUTIES.map((value) => ({
          value,
          label: DUTY[value].title,
          needs: ABOVE_ORGANIZATIONS,
        })),
      ],
      required: false,
      defaultValue: '',
      filter: true,
    }),
    /** The first groups by name; `groups` contains all. */
    first_names: computed.json<{ readonly groups: readonly NamedRow[] }>({
      label: { en: 'First names', zh: '首个名称' },
      example: { groups: [] },
    }),
    groups_display: computed.string({ label: { en: 'User groups', zh: '用户组' } }),
    role_display: computed.string({ label: { en: 'Role', zh: '角色' } }),
    can_update: computed.boolean({ label: { en: 'Can update', zh: '可更新' } }),
    can_delete: computed.boolean({ label: { en: 'Can delete', zh: '可删除' } }),
    abilities: computed.json<readonly string[]>({
      label: { en: 'Fields that you may change', zh: '您可修改的内容' },
      detailOnly: true,
    }),
    refusals: computed.json<Readonly<Record<string, string>>>({
      label: {
        en: 'Reasons why you may not change the other fields',
        zh: '其余内容不可修改的原因',
      },
      detailOnly: true,
    }),
    /** Reviewers of the user's sign-ins; null if none. */
    login_confirm_settings: computed.json<readonly string[] | null>({
      label: { en: 'Sign-in confirmation', zh: '登录复核' },
      detailOnly: true,
    }),
    login_blocked: computed.boolean({
      label: { en: 'Sign-in blocked', zh: '登录被锁定' },
      example: false,
      yesMeans: 'care',
    }),
  },
});
