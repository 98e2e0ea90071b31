import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  datetime,
  id,
  integer,
  namedObjects,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** Kinds of alerts. */
export const ALERT_KINDS = [
  { value: 'new_network', label: { en: 'New network', zh: '新网络' } },
  { value: 'new_country', label: { en: 'New country', zh: '新国家' } },
  { value: 'unusual_hour', label: { en: 'Unusual hour', zh: '异常时段' } },
  { value: 'first_use', label: { en: 'First use of an account', zh: '账号首次使用' } },
  { value: 'many_denials', label: { en: 'Many denials', zh: '多次被拒绝' } },
  { value: 'recovered', label: { en: 'Reset on the server', zh: '服务器上重置' } },
  { value: 'lost_changes', label: { en: 'Lost changes', zh: '变更丢失' } },
  { value: 'reused_token', label: { en: 'Reused token', zh: '令牌重复使用' } },
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number]['value'];

/** Maximum characters of the note of a seen alert. */
export const MOST_ALERT_NOTE = 512;

const KIND = { en: 'Alert', zh: '告警' };

/** Unusual sign-ins and access of members of the organization. POST seen/ marks them as seen. */
export const alert = defineResource({
  name: 'alert',
  path: 'audits/alerts',
  area: 'alerts',
  parameters: ['attention'],
  scope: 'org',
  title: { en: 'Alert', zh: '告警' },
  access: { read: Permission.AUDIT },
  labelField: 'user',
  defaultOrder: ['-datetime', 'id'],
  dateField: 'datetime',
  histogram: { marks: { filter: { is_seen: '0' }, label: { en: 'Open', zh: '未处理' } } },
  audited: false,
  pages: { list: 'audits/alert' },
  fields: {
    id: id(),
    kind: choice({ label: KIND, choices: ALERT_KINDS, readOnly: true, filter: true, order: true }),
    kind_display: choiceLabelOf('kind', KIND),
    user: text({
      label: LABEL.user,
      max: 260,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    username: text({ label: LABEL.username, max: 128, readOnly: true, filter: true }),
    /** The new network or country (code), the account, the agent, or an address without a user. */
    subject: text({
      label: { en: 'About', zh: '对象' },
      max: 512,
      readOnly: true,
      search: true,
      filter: true,
    }),
    remote_addr: text({
      label: LABEL.remoteAddress,
      max: 64,
      readOnly: true,
      search: true,
      filter: true,
    }),
    /** Id of the entry in the sign-in log. */
    sign_in: computed.string({ label: { en: 'Sign-in', zh: '登录记录' } }),
    /** Id of the session. */
    session: computed.string({ label: { en: 'Session', zh: '会话' } }),
    amount: integer({ label: { en: 'Number', zh: '次数' }, readOnly: true, nullable: true }),
    is_seen: boolean({
      label: { en: 'Seen', zh: '已处理' },
      readOnly: true,
      filter: true,
      order: true,
    }),
    seen_by: text({
      label: { en: 'Seen by', zh: '处理人' },
      max: 260,
      readOnly: true,
      search: true,
      filter: true,
    }),
    note: text({ label: { en: 'Note', zh: '处理说明' }, max: MOST_ALERT_NOTE, readOnly: true }),
    date_seen: datetime({
      label: { en: 'Date seen', zh: '处理日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    links: namedObjects(),
    datetime: datetime({ label: { en: 'Date', zh: '日期' }, readOnly: true, order: true }),
    ...organizationFields(),
  },
});
