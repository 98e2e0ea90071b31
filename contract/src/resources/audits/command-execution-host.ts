import {
  choice,
  choiceLabelOf,
  computed,
  datetime,
  displayOf,
  id,
  integer,
  organizationFields,
  reference,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const STATE = { en: 'State', zh: '状态' };

/** Results of a host in a batch command. */
export const COMMAND_HOST_STATES = [
  { value: 'waiting', label: { en: 'Waiting', zh: '等待中' } },
  { value: 'running', label: { en: 'Running', zh: '运行中' } },
  { value: 'succeeded', label: { en: 'Succeeded', zh: '成功' } },
  { value: 'failed', label: { en: 'Failed', zh: '失败' } },
  { value: 'canceled', label: { en: 'Canceled', zh: '已取消' } },
  { value: 'left_out', label: { en: 'Not run', zh: '未执行' } },
] as const;
export type CommandHostState = (typeof COMMAND_HOST_STATES)[number]['value'];

/** Hosts of batch commands with status and start of output. */
export const commandExecutionHost = defineResource({
  name: 'command_execution_host',
  path: 'audits/command-executions-hosts-relations',
  area: 'logs',
  scope: 'org',
  title: { en: 'Batch command host', zh: '批量命令主机' },
  access: { read: Permission.AUDIT },
  labelField: 'asset_display',
  defaultOrder: ['position', 'id'],
  audited: false,
  fields: {
    id: id(),
    asset: reference({ label: LABEL.asset, to: 'asset', readOnly: true, filter: true }),
    asset_display: text({ label: LABEL.asset, max: 512, readOnly: true, search: true }),
    commandexecution: reference({
      label: { en: 'Batch command', zh: '批量命令' },
      to: 'command_execution_log',
      readOnly: true,
      filter: true,
    }),
    commandexecution_display: displayOf('commandexecution', { en: 'Command', zh: '命令' }),
    position: integer({ label: { en: 'Position', zh: '序号' }, readOnly: true, order: true }),
    state: choice({
      label: STATE,
      choices: COMMAND_HOST_STATES,
      readOnly: true,
      filter: true,
      order: true,
    }),
    state_display: choiceLabelOf('state', STATE),
    rc: integer({ label: { en: 'Exit status', zh: '退出码' }, readOnly: true, nullable: true }),
    reason: computed.string({ label: { en: 'Reason', zh: '原因' } }),
    stdout: text({
      label: { en: 'Output', zh: '输出' },
      max: 65_536,
      readOnly: true,
      multiline: true,
    }),
    stderr: text({
      label: { en: 'Error output', zh: '错误输出' },
      max: 65_536,
      readOnly: true,
      multiline: true,
    }),
    milliseconds: integer({ label: { en: 'Milliseconds', zh: '耗时（毫秒）' }, readOnly: true }),
    date_finished: datetime({
      label: { en: 'Date finished', zh: '结束日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    ...organizationFields(),
  },
});
