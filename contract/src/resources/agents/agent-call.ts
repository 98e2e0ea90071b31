import {
  choice,
  choiceLabelOf,
  datetime,
  displayOf,
  id,
  integer,
  reference,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';

const STATE = { en: 'State', zh: '状态' };
const TOOL = { en: 'Tool', zh: '工具' };
const AGENT = { en: 'Agent', zh: '智能体' };

/** States of a call. `ended`: the leash, its owner or an administrator stopped it. */
export const AGENT_CALL_STATES = [
  { value: 'running', label: { en: 'Running', zh: '执行中' } },
  { value: 'done', label: { en: 'Done', zh: '已完成' } },
  { value: 'refused', label: { en: 'Refused', zh: '已拒绝' } },
  { value: 'failed', label: { en: 'Failed', zh: '失败' } },
  { value: 'ended', label: { en: 'Ended early', zh: '已中止' } },
] as const;

/** Tools that change or read something at a target. */
export const AGENT_TOOLS = [
  { value: 'run', label: { en: 'Run a command', zh: '执行命令' } },
  { value: 'read_file', label: { en: 'Read a file', zh: '读取文件' } },
  { value: 'write_file', label: { en: 'Write a file', zh: '写入文件' } },
  { value: 'query', label: { en: 'Run a statement', zh: '执行语句' } },
  { value: 'request_access', label: { en: 'Request access', zh: '申请权限' } },
] as const;

export type AgentTool = (typeof AGENT_TOOLS)[number]['value'];

export type AgentCallState = (typeof AGENT_CALL_STATES)[number]['value'];

/** Calls of agents: what each asked for, what was decided, and the session that recorded it. */
export const agentCall = defineResource({
  name: 'agent_call',
  path: 'agents/calls',
  scope: 'global',
  area: 'agents',
  title: { en: 'Agent call', zh: '智能体调用' },
  access: { read: Permission.USE },
  labelField: 'input',
  defaultOrder: ['-date_start', 'id'],
  dateField: 'date_start',
  audited: false,
  fields: {
    id: id(),
    agent: reference({ label: AGENT, to: 'agent', readOnly: true, filter: true }),
    agent_display: displayOf('agent', AGENT),
    tool: choice({
      label: TOOL,
      choices: AGENT_TOOLS,
      readOnly: true,
    }),
    host: text({
      label: { en: 'Host or database', zh: '主机或数据库' },
      max: 128,
      readOnly: true,
      search: true,
    }),
    account: text({ label: { en: 'Account', zh: '账号' }, max: 128, readOnly: true }),
    tool_display: choiceLabelOf('tool', TOOL),
    input: text({
      label: { en: 'Command, statement or file', zh: '命令、语句或文件' },
      readOnly: true,
      search: true,
    }),
    reason: text({
      label: { en: 'Reason given by the agent', zh: '智能体说明的理由' },
      max: 500,
      readOnly: true,
      search: true,
    }),
    state: choice({ label: STATE, choices: AGENT_CALL_STATES, readOnly: true, filter: true }),
    state_display: choiceLabelOf('state', STATE),
    detail: text({ label: { en: 'Decision', zh: '判定' }, readOnly: true }),
    exit_code: integer({
      label: { en: 'Exit status', zh: '退出码' },
      readOnly: true,
      nullable: true,
    }),
    output_bytes: integer({ label: { en: 'Output (bytes)', zh: '输出（字节）' }, readOnly: true }),
    session_id: text({ label: { en: 'Session', zh: '会话' }, max: 36, readOnly: true }),
    date_start: datetime({
      label: { en: 'Date started', zh: '开始时间' },
      readOnly: true,
      order: true,
    }),
    date_end: datetime({
      label: { en: 'Date ended', zh: '结束时间' },
      readOnly: true,
      nullable: true,
    }),
  },
});
