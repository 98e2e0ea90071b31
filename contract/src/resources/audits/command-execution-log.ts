import {
  boolean,
  computed,
  datetime,
  id,
  integer,
  namedObjects,
  organizationFields,
  reference,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { OUTCOME_FIELDS } from '../common/outcome-fields.ts';
import { LABEL } from '../labels.ts';

/** The batch commands of an organization, for its auditors. */
export const commandExecutionLog = defineResource({
  name: 'command_execution_log',
  table: 'command_execution',
  path: 'audits/command-execution-logs',
  area: 'logs',
  scope: 'org',
  title: { en: 'Batch command log', zh: '批量命令日志' },
  access: { read: Permission.AUDIT },
  labelField: 'command',
  defaultOrder: ['-date_start', 'id'],
  dateField: 'date_start',
  histogram: {
    marks: { filter: { outcome: 'partly,failed' }, label: { en: 'Failed', zh: '失败' } },
  },
  audited: false,
  parameters: ['user__name', 'run_as__name', 'outcome'],
  pages: { list: 'audits/command-execution-log' },
  fields: {
    id: id(),
    hosts: computed.json<readonly string[]>({
      label: { en: 'Hosts', zh: '主机' },
      example: ['00000000-0000-4000-8000-000000000001'],
    }),
    hosts_amount: integer({ label: { en: 'Hosts', zh: '主机' }, readOnly: true, order: true }),
    done_amount: integer({ label: { en: 'Finished', zh: '已完成' }, readOnly: true }),
    failed_amount: integer({ label: { en: 'Failed', zh: '失败' }, readOnly: true, order: true }),
    canceled_amount: integer({ label: { en: 'Canceled', zh: '已取消' }, readOnly: true }),
    ...OUTCOME_FIELDS,
    user: reference({
      label: { en: 'User ID', zh: '用户 ID' },
      to: 'user',
      readOnly: true,
      nullable: true,
    }),
    user_display: text({
      label: LABEL.user,
      max: 256,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    remote_addr: text({ label: LABEL.remoteAddress, max: 64, readOnly: true, filter: true }),
    command: text({
      label: { en: 'Command', zh: '命令' },
      max: 65_536,
      readOnly: true,
      search: true,
      filter: true,
      multiline: true,
    }),
    run_as: reference({
      label: { en: 'System user ID', zh: '系统用户 ID' },
      to: 'system_user',
      readOnly: true,
      filter: true,
    }),
    run_as_display: text({
      label: { en: 'Run as', zh: '运行用户' },
      max: 256,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    result: computed.string({ label: { en: 'Result', zh: '结果' } }),
    is_finished: boolean({
      label: { en: 'Finished', zh: '是否完成' },
      readOnly: true,
      filter: true,
    }),
    is_success: boolean({ label: { en: 'Success', zh: '是否成功' }, readOnly: true, filter: true }),
    links: namedObjects(),
    date_start: datetime({ label: { en: 'Date', zh: '日期' }, readOnly: true, order: true }),
    date_finished: datetime({
      label: { en: 'Date finished', zh: '结束日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    ...organizationFields(),
  },
});
