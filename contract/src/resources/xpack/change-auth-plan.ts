import {
  choice,
  choiceLabelOf,
  computed,
  countOf,
  createdAt,
  createdBy,
  datetime,
  id,
  integer,
  many,
  object,
  organizationFields,
  secret,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { periodFields } from '../../kit/period.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

export const PASSWORD_STRATEGY = {
  label: { en: 'Password strategy', zh: '密码策略' },
  choices: [
    { value: 'custom', label: { en: 'Custom password', zh: '自定义密码' } },
    {
      value: 'random_one',
      label: { en: 'Same random password on all assets', zh: '所有资产使用相同的随机密码' },
    },
    {
      value: 'random_all',
      label: { en: 'Different random password on each asset', zh: '所有资产使用不同的随机密码' },
    },
    { value: 'keep', label: { en: 'Keep the password', zh: '不更改密码' } },
  ],
} as const;

export const KEY_STRATEGY = {
  label: { en: 'Key strategy', zh: '密钥策略' },
  choices: [
    { value: 'keep', label: { en: 'Keep the key', zh: '不更换密钥' } },
    { value: 'custom', label: { en: 'Custom key', zh: '自定义密钥' } },
    {
      value: 'random_one',
      label: { en: 'Same new key on all assets', zh: '所有资产使用相同的新密钥' },
    },
    {
      value: 'random_all',
      label: { en: 'Different new key on each asset', zh: '所有资产使用不同的新密钥' },
    },
  ],
} as const;

/** Characters of a random password. */
export const PASSWORD_LENGTH = { min: 6, max: 30, usual: 20 } as const;

/** Rotates password and key of one account on many servers (permissions.md, section 6.5). */
export const changeAuthPlan = defineResource({
  name: 'change_auth_plan',
  path: 'xpack/change-auth-plan/plan',
  area: 'secrets',
  scope: 'org',
  title: { en: 'Rotation plan', zh: '改密计划' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
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
      help: { en: 'Account on the servers', zh: '服务器上的账号' },
      max: 32,
      search: true,
      order: true,
      filter: true,
      example: 'deploy',
    }),
    assets: many({ label: LABEL.assets, to: 'asset', required: false }),
    nodes: many({ label: { en: 'Nodes', zh: '节点' }, to: 'node', required: false }),
    assets_amount: countOf('assets', LABEL.assetsAmount),
    nodes_amount: countOf('nodes', { en: 'Nodes', zh: '节点数量' }),
    password_strategy: choice({
      label: PASSWORD_STRATEGY.label,
      choices: PASSWORD_STRATEGY.choices,
      defaultValue: 'custom',
      filter: true,
    }),
    password_strategy_display: choiceLabelOf('password_strategy', PASSWORD_STRATEGY.label),
    password: secret({ label: LABEL.password, max: 128 }),
    password_rules: object({
      label: { en: 'Password rules', zh: '密码规则' },
      required: false,
      nullable: true,
      fields: {
        length: integer({
          label: { en: 'Password length', zh: '密码长度' },
          help: { en: '6 to 30 characters', zh: '6 至 30 位' },
          min: PASSWORD_LENGTH.min,
          max: PASSWORD_LENGTH.max,
          defaultValue: PASSWORD_LENGTH.usual,
        }),
      },
    }),
    key_strategy: choice({
      label: KEY_STRATEGY.label,
      choices: KEY_STRATEGY.choices,
      defaultValue: 'keep',
      required: false,
      filter: true,
    }),
    key_strategy_display: choiceLabelOf('key_strategy', KEY_STRATEGY.label),
    private_key: secret({
      label: LABEL.privateKey,
      help: { en: 'Without a passphrase', zh: '不带密码短语' },
      max: 65_536,
      multiline: true,
    }),
    ...periodFields(),
    run_times: computed.integer({ label: { en: 'Runs', zh: '执行次数' }, example: 3 }),
    date_last_run: datetime({
      label: { en: 'Last run', zh: '最后执行' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
