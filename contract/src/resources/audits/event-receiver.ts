import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  id,
  integer,
  many,
  secret,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;

/** A syslog server or webhook that receives audit entries and session events as they happen. */
export const eventReceiver = defineResource({
  name: 'event_receiver',
  path: 'audits/event-receivers',
  area: 'security',
  scope: 'global',
  title: { en: 'Event receiver', zh: '事件接收端' },
  access: { read: SUPER, create: SUPER, update: SUPER, delete: SUPER },
  defaultOrder: ['name'],
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 64,
      unique: 'global',
      search: true,
      order: true,
      filter: true,
    }),
    type: choice({
      label: { en: 'Type', zh: '类型' },
      choices: [
        { value: 'syslog', label: { en: 'Syslog', zh: 'Syslog' } },
        { value: 'webhook', label: { en: 'Webhook', zh: 'Webhook' } },
      ],
      defaultValue: 'syslog',
      search: true,
      filter: true,
      order: true,
    }),
    type_display: choiceLabelOf('type', { en: 'Type', zh: '类型' }),
    is_active: boolean({ label: LABEL.isActive, defaultValue: true, filter: true, order: true }),
    host: text({
      isService: true,
      label: { en: 'Host', zh: '主机' },
      max: 253,
      required: false,
      defaultValue: '',
      search: true,
      example: 'logs.example.com',
    }),
    port: integer({
      isPlain: true,
      label: { en: 'Port', zh: '端口' },
      min: 1,
      max: 65_535,
      defaultValue: 6514,
      required: false,
    }),
    transport: choice({
      label: { en: 'Transport', zh: '传输方式' },
      help: {
        en: 'TCP and UDP are not encrypted; the security settings must allow them',
        zh: 'TCP 和 UDP 不加密，需在安全设置中允许',
      },
      choices: [
        { value: 'tls', label: { en: 'TLS', zh: 'TLS' } },
        { value: 'tcp', label: { en: 'TCP', zh: 'TCP' } },
        { value: 'udp', label: { en: 'UDP', zh: 'UDP' } },
      ],
      defaultValue: 'tls',
      required: false,
    }),
    framing: choice({
      label: { en: 'Framing', zh: '分帧方式' },
      help: {
        en: 'For TLS and TCP, as the receiver reads them: rsyslog reads both, syslog-ng octet counting with syslog() and lines with network()',
        zh: '用于 TLS 和 TCP，须与接收端一致：rsyslog 两种都支持；syslog-ng 的 syslog() 用字节计数，network() 用换行',
      },
      choices: [
        { value: 'octets', label: { en: 'Octet counting', zh: '字节计数' } },
        { value: 'newline', label: { en: 'Newline', zh: '换行' } },
      ],
      defaultValue: 'octets',
      required: false,
    }),
    url: text({
      isService: true,
      label: { en: 'Address', zh: '地址' },
      help: { en: 'Begins with https://', zh: '以 https:// 开头' },
      max: 1024,
      required: false,
      defaultValue: '',
      example: 'https://hooks.example.com/sallyport',
    }),
    secret: secret({
      label: { en: 'Secret', zh: '密钥' },
      help: {
        en: 'Signs each message; at least 16 characters',
        zh: '用于对发送的内容签名，至少 16 个字符',
      },
      max: 256,
    }),
    ca_certificate: text({
      label: { en: 'CA certificate', zh: 'CA 证书' },
      help: {
        en: 'PEM certificate of the authority that signed the receiver certificate; blank for public authorities',
        zh: '签发接收端证书的 CA 的 PEM 证书；留空则使用公共 CA',
      },
      max: 16_384,
      multiline: true,
      required: false,
      defaultValue: '',
      example: '',
    }),
    sends_sign_ins: boolean({ label: { en: 'Sign-ins', zh: '登录' }, defaultValue: true }),
    sends_operations: boolean({ label: { en: 'Operations', zh: '操作' }, defaultValue: true }),
    sends_password_changes: boolean({
      label: { en: 'Password changes', zh: '改密' },
      defaultValue: true,
    }),
    sends_files: boolean({ label: { en: 'File transfers', zh: '文件传输' }, defaultValue: true }),
    sends_sessions: boolean({ label: { en: 'Sessions', zh: '会话' }, defaultValue: true }),
    sends_alerts: boolean({ label: { en: 'Alerts', zh: '告警' }, defaultValue: true }),
    default_organization: boolean({
      label: { en: 'Default organization', zh: '默认组织' },
      help: {
        en: 'Sends the events of the default organization',
        zh: '发送默认组织的事件',
      },
      defaultValue: false,
    }),
    organizations: many({
      label: { en: 'Organizations', zh: '组织' },
      to: 'organization',
      required: false,
      help: {
        en: 'Without any, the receiver gets the events of all organizations, sign-ins and password changes included',
        zh: '均未选择时接收全部组织的事件，包括登录和改密',
      },
    }),
    /** Queued events. */
    backlog: computed.integer({ label: { en: 'Waiting events', zh: '等待中的事件' } }),
    date_delivered: computed.datetime({ label: { en: 'Last delivery', zh: '最近发送' } }),
    problem: computed.string({ label: { en: 'Problem', zh: '故障' } }),
    /** Events that expired in the queue and were never sent. */
    dropped: computed.integer({ label: { en: 'Dropped events', zh: '丢弃的事件' } }),
    date_created: createdAt(),
    comment: text({
      label: LABEL.comment,
      required: false,
      defaultValue: '',
      multiline: true,
      max: 1024,
    }),
  },
});
