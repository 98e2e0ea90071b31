import {
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  datetime,
  id,
  integer,
  secret,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const STATE = { en: 'State', zh: '状态' };
const COMMAND_MODE = { en: 'Commands', zh: '命令' };
const FILES = { en: 'Files', zh: '文件' };
const STATEMENTS = { en: 'Statements', zh: '语句' };
const MINUTES = { en: 'min', zh: '分钟' };

/** Minutes for which a leash may last at most: a week. */
export const MOST_AGENT_MINUTES = 7 * 24 * 60;

/** States of an agent. */
export const AGENT_STATES = [
  { value: 'active', label: { en: 'Active', zh: '生效中' } },
  { value: 'used_up', label: { en: 'Budget used', zh: '额度用尽' } },
  { value: 'expired', label: { en: 'Expired', zh: '已到期' } },
  { value: 'ended', label: { en: 'Ended', zh: '已结束' } },
] as const;

/**
 * A program that works for its owner, with its leash. It may do at most what its owner may do. Only
 * the answer to the creation contains the token. Owners see their own agents; administrators and
 * auditors of the installation see all.
 */
export const agent = defineResource({
  name: 'agent',
  path: 'agents/agents',
  scope: 'global',
  area: 'agents',
  title: { en: 'Agent', zh: '智能体' },
  access: { read: Permission.USE, create: Permission.USE },
  defaultOrder: ['-date_created', 'id'],
  dateField: 'date_created',
  fields: {
    id: { ...id(), mode: 'readonly' },
    name: text({ label: LABEL.name, max: 64, search: true, order: true, example: 'disk-check' }),
    client: text({
      label: { en: 'Program', zh: '程序' },
      max: 64,
      required: false,
      defaultValue: '',
      search: true,
      example: 'Claude Code',
    }),
    owner: computed.string({ label: { en: 'Owner', zh: '所有者' }, example: 'Li Wei(li.wei)' }),
    task: text({
      label: { en: 'Task', zh: '任务' },
      max: 500,
      multiline: true,
      search: true,
      help: { en: 'What the agent is for, in your words', zh: '说明该智能体的用途' },
      example: 'Find out why the disks of the web servers fill up',
    }),
    hosts: text({
      label: { en: 'Hosts', zh: '主机' },
      max: 4096,
      multiline: true,
      required: false,
      defaultValue: '',
      help: {
        en: 'One name per line; * stands for any characters. Only hosts of your permissions count',
        zh: '每行一个名称，* 表示任意字符。仅限您有权限的主机',
      },
      example: 'web-*',
    }),
    databases: text({
      label: { en: 'Databases', zh: '数据库' },
      max: 4096,
      multiline: true,
      required: false,
      defaultValue: '',
      help: {
        en: 'Names of database apps, one per line; * stands for any characters',
        zh: '数据库应用的名称，每行一个，* 表示任意字符',
      },
      example: 'orders',
    }),
    accounts: text({
      label: { en: 'Accounts', zh: '账号' },
      max: 1024,
      multiline: true,
      help: {
        en: 'System users or usernames, one per line; * stands for any characters',
        zh: '系统用户名称或用户名，每行一个，* 表示任意字符',
      },
      example: 'deploy',
    }),
    command_mode: choice({
      label: COMMAND_MODE,
      choices: [
        { value: 'listed', label: { en: 'Listed commands only', zh: '仅限列出的命令' } },
        { value: 'any', label: { en: 'Any command', zh: '任意命令' } },
      ],
      defaultValue: 'listed',
    }),
    command_mode_display: choiceLabelOf('command_mode', COMMAND_MODE),
    commands: text({
      label: { en: 'Allowed commands', zh: '允许的命令' },
      max: 16_384,
      multiline: true,
      required: false,
      defaultValue: '',
      help: {
        en: 'One pattern per line, such as: df -h, or journalctl -u *. No pipes, variables or redirections run',
        zh: '每行一个模式，例如 df -h 或 journalctl -u *。不执行管道、变量和重定向',
      },
      example: 'df -h',
    }),
    denied: text({
      label: { en: 'Denied words', zh: '禁止的词' },
      max: 4096,
      multiline: true,
      required: false,
      defaultValue: '',
      help: {
        en: 'One per line. A command that contains one does not run. Command filters also apply',
        zh: '每行一个。包含该词的命令不执行。命令过滤规则同样有效',
      },
      example: 'shutdown',
    }),
    files: choice({
      label: FILES,
      help: {
        en: 'Text files within the root of the account, by the rights of your permission',
        zh: '账号根目录内的文本文件，以您的授权为限',
      },
      choices: [
        { value: 'none', label: { en: 'None', zh: '不允许' } },
        { value: 'read', label: { en: 'Read', zh: '读取' } },
        { value: 'write', label: { en: 'Read and write', zh: '读写' } },
      ],
      defaultValue: 'none',
    }),
    files_display: choiceLabelOf('files', FILES),
    statements: choice({
      label: STATEMENTS,
      help: {
        en: 'SQL on the databases, by the rights of your permission. An UPDATE or DELETE first shows its rows',
        zh: '在上述数据库中执行 SQL，以您的授权为限。UPDATE 和 DELETE 会先显示受影响的行',
      },
      choices: [
        { value: 'read', label: { en: 'Read only', zh: '只读' } },
        { value: 'change', label: { en: 'Read and change', zh: '读取和修改' } },
      ],
      defaultValue: 'read',
    }),
    statements_display: choiceLabelOf('statements', STATEMENTS),
    minutes: integer({
      label: { en: 'Minutes', zh: '时长' },
      min: 1,
      max: MOST_AGENT_MINUTES,
      defaultValue: 60,
      unit: MINUTES,
    }),
    max_commands: integer({
      label: { en: 'Most commands', zh: '命令数上限' },
      min: 1,
      max: 10_000,
      defaultValue: 100,
    }),
    max_kib: integer({
      label: { en: 'Most output (KiB)', zh: '输出上限（KiB）' },
      min: 1,
      max: 1_048_576,
      defaultValue: 1024,
    }),
    max_rows: integer({
      label: { en: 'Most rows', zh: '行数上限' },
      help: { en: 'Rows of databases', zh: '读取的数据库行数' },
      min: 1,
      max: 1_000_000,
      defaultValue: 1000,
    }),
    password: secret({
      label: { en: 'Your password', zh: '本人密码' },
      max: 1024,
      help: {
        en: 'Confirms your identity if you have no second factor',
        zh: '未设置双重认证时，创建前用于确认身份',
      },
    }),
    request: text({
      label: { en: 'Request of a program', zh: '程序的请求' },
      max: 36,
      required: false,
      defaultValue: '',
      example: '',
      help: {
        en: 'The id of a program that waits for this agent. It receives the token',
        zh: '等待该智能体的程序的请求编号，令牌由该程序接收',
      },
    }),
    redirect: computed.string({
      label: { en: 'Next page', zh: '下一页' },
      help: {
        en: 'Where the browser takes the decision; only when the agent is created for a program',
        zh: '浏览器携带决定前往的地址，仅在为程序创建时返回',
      },
    }),
    token: computed.string({
      label: { en: 'Token', zh: '令牌' },
      help: { en: 'Shown once, when the agent is created', zh: '仅在创建时显示一次' },
    }),
    state: computed.string({ label: STATE, example: 'active' }),
    state_display: computed.string({ label: STATE, example: 'Active' }),
    used_commands: integer({ label: { en: 'Commands used', zh: '已用命令数' }, readOnly: true }),
    used_bytes: integer({
      label: { en: 'Output (bytes)', zh: '已用输出（字节）' },
      readOnly: true,
    }),
    used_rows: integer({ label: { en: 'Rows read', zh: '已读行数' }, readOnly: true }),
    date_created: createdAt(),
    date_expired: datetime({
      label: { en: 'Date expired', zh: '失效日期' },
      readOnly: true,
      order: true,
    }),
    date_ended: datetime({
      label: { en: 'Date ended', zh: '结束日期' },
      readOnly: true,
      nullable: true,
    }),
    ended_by: text({ label: { en: 'Ended by', zh: '结束者' }, max: 260, readOnly: true }),
    date_last_used: datetime({
      label: { en: 'Date last used', zh: '最后使用日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
  },
});
