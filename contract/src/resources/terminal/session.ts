import type { Named } from '../../access/access.ts';
import { FEATURE_SESSION_FIELDS } from '../../features/features.ts';
import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  datetime,
  id,
  integer,
  json,
  namedObjects,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { PROTOCOL_CHOICES } from '../../protocols/protocols.ts';
import { INTERVENTION_MAX } from '../../protocols/session-interventions.ts';
import { Permission } from '../../roles.ts';
import { LABEL, RISK } from '../labels.ts';

const ro = <const T extends { en: string; zh: string }>(label: T, max: number) =>
  text({ label, max, readOnly: true, search: true, filter: true, order: true });

/**
 * A connection of a user to a server or application. The gateway writes it; users cannot edit it.
 */
export const session = defineResource({
  name: 'session',
  path: 'terminal/sessions',
  area: 'logs',
  parameters: ['attention'],
  scope: 'org',
  title: { en: 'Session', zh: '会话' },
  access: { read: Permission.AUDIT },
  labelField: 'id',
  defaultOrder: ['-date_start'],
  dateField: 'date_start',
  histogram: { marks: { filter: { risk_level: '5' }, label: { en: 'Dangerous', zh: '危险' } } },
  audited: false,
  display: '{user} → {asset}',
  pages: { list: 'terminal/session', detail: 'terminal/sessions' },
  searchable: {
    title: '{user} → {asset}',
    note: '{date_start} · {system_user} · {remote_addr}',
    shortest: 3,
    owner: 'user_id',
  },
  fields: {
    id: id(),
    user: ro(LABEL.user, 128),
    asset: ro(LABEL.asset, 128),
    system_user: ro(LABEL.systemUser, 128),
    user_id: text({
      label: { en: 'User ID', zh: '用户 ID' },
      max: 36,
      readOnly: true,
      filter: true,
    }),
    asset_id: text({
      label: { en: 'Asset ID', zh: '资产 ID' },
      max: 36,
      readOnly: true,
      filter: true,
    }),
    system_user_id: text({
      label: { en: 'System user ID', zh: '系统用户 ID' },
      max: 36,
      readOnly: true,
      filter: true,
    }),
    login_from: choice({
      label: { en: 'Signed in from', zh: '登录来源' },
      choices: [
        { value: 'ST', label: { en: 'SSH terminal', zh: 'SSH 终端' } },
        { value: 'WT', label: { en: 'Web terminal', zh: 'Web 终端' } },
        { value: 'DT', label: { en: 'Database client', zh: '数据库客户端' } },
        { value: 'KT', label: { en: 'Kubernetes client', zh: 'Kubernetes 客户端' } },
      ],
      readOnly: true,
      filter: true,
      order: true,
    }),
    login_from_display: choiceLabelOf('login_from', { en: 'Signed in from', zh: '登录来源' }),
    remote_addr: text({
      label: LABEL.remoteAddress,
      max: 128,
      readOnly: true,
      nullable: true,
      search: true,
      filter: true,
    }),
    protocol: choice({
      label: { en: 'Protocol', zh: '协议' },
      choices: PROTOCOL_CHOICES,
      readOnly: true,
      filter: true,
    }),
    kind: choice({
      label: { en: 'Kind', zh: '会话类型' },
      choices: [
        { value: 'terminal', label: { en: 'Terminal', zh: '终端' } },
        { value: 'transfer', label: { en: 'File transfer', zh: '文件传输' } },
        { value: 'query', label: { en: 'Database query', zh: '数据库查询' } },
        { value: 'desktop', label: { en: 'Desktop', zh: '远程桌面' } },
        { value: 'api', label: { en: 'API requests', zh: 'API 请求' } },
      ],
      readOnly: true,
      filter: true,
    }),
    /** Kind of target; for an application, `asset` and `asset_id` are its name and id. */
    target_kind: choice({
      label: { en: 'Target', zh: '目标类型' },
      choices: [
        { value: 'asset', label: { en: 'Asset', zh: '资产' } },
        { value: 'database_app', label: { en: 'Database app', zh: '数据库应用' } },
        { value: 'remote_app', label: { en: 'Remote app', zh: '远程应用' } },
        { value: 'cluster', label: { en: 'Cluster', zh: '集群' } },
      ],
      readOnly: true,
      filter: true,
    }),
    /** Id of the server that ran the session. */
    terminal: computed.string({ label: { en: 'Terminal', zh: '终端' } }),
    is_success: boolean({ label: { en: 'Success', zh: '成功' }, readOnly: true }),
    /** True for a self-test of a server. */
    is_canary: boolean({ label: { en: 'Self-test', zh: '自检' }, readOnly: true, filter: true }),
    ...FEATURE_SESSION_FIELDS,
    /** The product whose history has the session; null for sessions of this product. */
    imported_from: text({
      label: { en: 'Imported from', zh: '导入自' },
      max: 64,
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    is_finished: boolean({ label: { en: 'Finished', zh: '已结束' }, readOnly: true, filter: true }),
    has_replay: boolean({ label: { en: 'Has replay', zh: '有录像' }, readOnly: true }),
    replay_state: choice({
      label: { en: 'Recording', zh: '录像状态' },
      choices: [
        { value: 'none', label: { en: 'None', zh: '无' } },
        { value: 'recording', label: { en: 'Recording', zh: '录制中' } },
        { value: 'finished', label: { en: 'Finished', zh: '已完成' } },
        { value: 'recovered', label: { en: 'Recovered after a crash', zh: '崩溃后恢复' } },
        { value: 'failed', label: { en: 'Failed', zh: '失败' } },
      ],
      readOnly: true,
    }),
    can_replay: computed.boolean({ label: { en: 'Can replay', zh: '可回放' } }),
    can_join: computed.boolean({ label: { en: 'Can join', zh: '可监控' } }),
    risk_level: choice({
      label: RISK.label,
      choices: RISK.choices,
      readOnly: true,
      filter: true,
      order: true,
    }),
    risk_level_display: choiceLabelOf('risk_level', RISK.label),
    command_amount: integer({ label: { en: 'Commands', zh: '命令' }, readOnly: true }),
    /** Number of commands not stored because the command storage is "do not save". */
    commands_not_kept: integer({
      label: { en: 'Commands not kept', zh: '未保存的命令' },
      readOnly: true,
    }),
    commands_denied: integer({
      label: { en: 'Denied commands', zh: '已禁止的命令' },
      readOnly: true,
    }),
    second_factor: choice({
      label: { en: 'Second factor', zh: '双重认证' },
      choices: [
        { value: 'none', label: { en: 'Not required', zh: '未要求' } },
        {
          value: 'recent',
          label: { en: 'Required, verified shortly before', zh: '已要求，此前不久已通过' },
        },
        {
          value: 'asked',
          label: { en: 'Required, verified for this connection', zh: '已要求，为本次连接验证' },
        },
      ],
      readOnly: true,
    }),
    /** Requests for access behind the grant; null if none. */
    requests: computed.json<readonly Named[] | null>({
      label: { en: 'Requests', zh: '相关申请' },
      detailOnly: true,
      example: null,
    }),
    /** Comma-separated, in handshake order; null if none. */
    old_algorithms: text({
      label: { en: 'Outdated SSH algorithms', zh: '过时的 SSH 算法' },
      max: 512,
      readOnly: true,
      nullable: true,
    }),
    /** The SSH certificate that opened the session; null without one. */
    certificate_serial: text({
      label: { en: 'Certificate serial', zh: '证书序列号' },
      max: 20,
      readOnly: true,
      nullable: true,
      detailOnly: true,
    }),
    certificate_key_id: text({
      label: { en: 'Certificate key ID', zh: '证书密钥 ID' },
      max: 512,
      readOnly: true,
      nullable: true,
      detailOnly: true,
    }),
    certificate_principals: text({
      label: { en: 'Certificate principals', zh: '证书主体' },
      max: 4096,
      readOnly: true,
      nullable: true,
      detailOnly: true,
    }),
    date_certificate_expires: datetime({
      label: { en: 'Certificate expires', zh: '证书到期时间' },
      readOnly: true,
      nullable: true,
      detailOnly: true,
    }),
    end_reason: text({
      label: { en: 'End reason', zh: '结束原因' },
      max: 64,
      readOnly: true,
      nullable: true,
    }),
    /** The administrator who stopped the input of the live session; null while input passes. */
    locked_by: text({
      label: { en: 'Locked by', zh: '锁定人' },
      max: 256,
      readOnly: true,
      nullable: true,
      detailOnly: true,
    }),
    lock_reason: text({
      label: { en: 'Reason of the lock', zh: '锁定原因' },
      max: INTERVENTION_MAX,
      readOnly: true,
      detailOnly: true,
    }),
    /** The time since which a live session waits for its second person; null while input passes. */
    waits_since: datetime({
      label: { en: 'Waits for a second person since', zh: '等待第二人自' },
      readOnly: true,
      nullable: true,
      detailOnly: true,
    }),
    /** `date_start`, `date_end` and `remote_addr` of each interruption of the user's connection. */
    gaps: json({ label: { en: 'Interruptions', zh: '中断' }, detailOnly: true }),
    /** Numbers of the secrets masked in the recording and the log, by kind. */
    masked_secrets: json({
      label: { en: 'Secrets in output', zh: '输出中的敏感信息' },
      detailOnly: true,
    }),
    date_start: datetime({
      label: { en: 'Date start', zh: '开始日期' },
      readOnly: true,
      order: true,
    }),
    date_end: datetime({
      label: { en: 'Date end', zh: '结束日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    links: namedObjects(),
    ...organizationFields(),
  },
});
