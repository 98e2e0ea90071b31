import {
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  createdBy,
  id,
  object,
  organizationFields,
  reference,
  secret,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** Kinds of programs, with the default path and the parameters in command-line order. */
export const REMOTE_APP_TYPES = [
  {
    value: 'chrome',
    label: { en: 'Chrome', zh: 'Chrome' },
    path: 'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    params: ['chrome_target', 'chrome_username', 'chrome_password'],
  },
  {
    value: 'mysql_workbench',
    label: { en: 'MySQL Workbench', zh: 'MySQL Workbench' },
    path: 'C:\\Program Files\\MySQL\\MySQL Workbench 8.0 CE\\MySQLWorkbench.exe',
    params: [
      'mysql_workbench_ip',
      'mysql_workbench_name',
      'mysql_workbench_username',
      'mysql_workbench_password',
    ],
  },
  {
    value: 'vmware_client',
    label: { en: 'vSphere Client', zh: 'vSphere Client' },
    path: 'C:\\Program Files (x86)\\VMware\\Infrastructure\\Virtual Infrastructure Client\\Launcher\\VpxClient.exe',
    params: ['vmware_target', 'vmware_username', 'vmware_password'],
  },
  {
    value: 'custom',
    label: { en: 'Custom', zh: '自定义' },
    path: '',
    params: ['custom_cmdline', 'custom_target', 'custom_username', 'custom_password'],
  },
] as const;

export type RemoteAppType = (typeof REMOTE_APP_TYPES)[number]['value'];

/** Returns the parameter names of a type, in order; empty for an unknown type. */
export function remoteAppParams(type: unknown): readonly string[] {
  return REMOTE_APP_TYPES.find(({ value }) => value === type)?.params ?? [];
}

const PARAM = {
  target: { en: 'Target URL', zh: '目标 URL' },
  account: { en: 'Account', zh: '登录账号' },
} as const;

const value = (label: { readonly en: string; readonly zh: string }, max = 512) =>
  text({ label, max, required: false, allowBlank: true });
/** An argument of a known program, which could read an option. Own programs may get options. */
const operand = (label: { readonly en: string; readonly zh: string }, max = 512) =>
  text({ label, max, format: 'operand', required: false, allowBlank: true });
const password = () =>
  secret({
    label: LABEL.password,
    max: 512,
    help: { en: 'Stored encrypted and never shown again', zh: '加密保存，不再显示' },
  });

/** A program on a remote desktop server, which users open instead of the whole desktop. */
export const remoteApp = defineResource({
  name: 'remote_app',
  path: 'applications/remote-apps',
  area: 'assets',
  scope: 'org',
  title: { en: 'Remote app', zh: '远程应用' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  feedsGrants: true,
  searchable: { note: '{get_type_display}', pinyin: true },
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
    asset: reference({ label: LABEL.asset, to: 'asset' }),
    asset_info: computed.json<{ readonly id: string; readonly hostname: string }>({
      label: LABEL.asset,
      example: { id: '6c1f1c9e-58a8-4e59-8d0f-3b8f6f0f2a11', hostname: 'win-apps-01' },
    }),
    type: choice({
      label: { en: 'App type', zh: '应用类型' },
      choices: REMOTE_APP_TYPES.map(({ value: name, label }) => ({ value: name, label })),
      defaultValue: 'chrome',
      search: true,
      filter: true,
      order: true,
    }),
    get_type_display: choiceLabelOf('type', { en: 'App type', zh: '应用类型' }),
    /** Blank: the default path of the type. */
    path: text({
      label: { en: 'App path', zh: '应用路径' },
      max: 128,
      required: false,
      defaultValue: '',
      example: REMOTE_APP_TYPES[0].path,
    }),
    params: object({
      label: { en: 'Parameters', zh: '参数' },
      fields: {
        chrome_target: operand(PARAM.target),
        chrome_username: operand(PARAM.account, 128),
        chrome_password: password(),
        mysql_workbench_ip: operand({ en: 'Database IP', zh: '数据库 IP' }, 128),
        mysql_workbench_name: operand({ en: 'Database name', zh: '数据库名' }, 128),
        mysql_workbench_username: operand({ en: 'Database account', zh: '数据库账号' }, 128),
        mysql_workbench_password: password(),
        vmware_target: operand({ en: 'Target URL', zh: '目标地址' }),
        vmware_username: operand(PARAM.account, 128),
        vmware_password: password(),
        custom_cmdline: value({ en: 'Command line', zh: '运行参数' }),
        custom_target: value({ en: 'Target URL', zh: '目标地址' }),
        custom_username: value(PARAM.account, 128),
        custom_password: password(),
      },
    }),
    /** The password parameter, sealed separately. */
    password: password(),
    date_created: createdAt(),
    created_by: createdBy(),
    comment: text({
      label: LABEL.comment,
      max: 128,
      required: false,
      multiline: true,
      defaultValue: '',
      search: true,
      filter: true,
    }),
    ...organizationFields(),
  },
});
