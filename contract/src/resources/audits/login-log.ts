import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  datetime,
  id,
  namedObjects,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** All attempts to sign in. An organization sees the attempts of its members. */
export const loginLog = defineResource({
  name: 'login_log',
  path: 'audits/login-logs',
  area: 'logs',
  parameters: ['attention'],
  scope: 'global',
  title: { en: 'Sign-in log', zh: '登录日志' },
  access: { read: Permission.AUDIT },
  labelField: 'username',
  defaultOrder: ['-datetime', 'username'],
  dateField: 'datetime',
  histogram: { marks: { filter: { status: '0' }, label: { en: 'Failed', zh: '失败' } } },
  audited: false,
  searchable: {
    note: '{datetime} · {ip}',
    page: 'audits/login-log?search={username}',
    shortest: 3,
  },
  fields: {
    id: id(),
    username: text({
      label: LABEL.username,
      max: 128,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    type: choice({
      label: { en: 'Sign-in type', zh: '登录方式' },
      choices: [
        { value: 'W', label: { en: 'Web', zh: 'Web' } },
        { value: 'T', label: { en: 'Terminal', zh: 'Terminal' } },
        { value: 'A', label: { en: 'API', zh: 'API' } },
      ],
      readOnly: true,
      filter: true,
      order: true,
    }),
    type_display: choiceLabelOf('type', { en: 'Sign-in type', zh: '登录方式' }),
    ip: text({
      label: { en: 'Sign-in IP', zh: '登录 IP' },
      max: 64,
      readOnly: true,
      search: true,
      filter: true,
    }),
    city: text({
      label: { en: 'Sign-in city', zh: '登录城市' },
      max: 254,
      readOnly: true,
      nullable: true,
      search: true,
      filter: true,
    }),
    user_agent: text({
      label: { en: 'User agent', zh: 'Agent' },
      max: 254,
      readOnly: true,
      nullable: true,
    }),
    mfa: choice({
      label: { en: 'Second factor', zh: '双重认证' },
      choices: [
        { value: 0, label: { en: 'Disabled', zh: '禁用' } },
        { value: 1, label: { en: 'Enabled', zh: '启用' } },
        { value: 2, label: { en: '-', zh: '-' } },
      ],
      readOnly: true,
      filter: true,
      order: true,
    }),
    mfa_display: choiceLabelOf('mfa', { en: 'Second factor', zh: '双重认证' }),
    reason: text({ label: { en: 'Reason', zh: '原因' }, max: 128, readOnly: true }),
    reason_display: computed.string({ label: { en: 'Reason', zh: '原因' } }),
    status: boolean({
      label: { en: 'Status', zh: '状态' },
      words: { yes: { en: 'Success', zh: '成功' }, no: { en: 'Failed', zh: '失败' } },
      readOnly: true,
      filter: true,
    }),
    status_display: computed.string({ label: { en: 'Status', zh: '状态' } }),
    links: namedObjects(),
    datetime: datetime({
      label: { en: 'Sign-in date', zh: '登录日期' },
      readOnly: true,
      order: true,
    }),
  },
});
