import {
  boolean,
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
import { OUTCOME_FIELDS } from '../common/outcome-fields.ts';
import { LABEL } from '../labels.ts';

const TASK = { en: 'Task', zh: '任务' };
const count = (en: string, zh: string) => integer({ label: { en, zh }, readOnly: true });

/** Fields that start a gather task. */
export const GATHER_FORM = { task: reference({ label: TASK, to: 'gather_user_task' }) };

/** A run of a gather task. Its id is that of its job. */
export const gatherUserExecution = defineResource({
  name: 'gather_user_execution',
  path: 'xpack/gathered-user/task-executions',
  area: 'operation',
  scope: 'org',
  title: { en: 'Gather user run', zh: '收集用户执行' },
  access: { read: Permission.ADMIN },
  labelField: 'id',
  defaultOrder: ['-date_start', 'id'],
  dateField: 'date_start',
  audited: false,
  startForm: GATHER_FORM,
  pages: { list: 'xpack/gathered-users/executions' },
  fields: {
    id: id(),
    task: reference({ label: TASK, to: 'gather_user_task', readOnly: true, filter: true }),
    task_display: displayOf('task', TASK),
    total: count('Assets', '资产数量'),
    succeed: count('Succeeded', '成功'),
    failed: count('Failed', '失败'),
    ...OUTCOME_FIELDS,
    timedelta: computed.json<number>({ label: { en: 'Duration', zh: '耗时' }, example: 1.52 }),
    is_finished: boolean({ label: { en: 'Finished', zh: '已结束' }, readOnly: true, filter: true }),
    date_start: datetime({
      label: { en: 'Date start', zh: '开始日期' },
      readOnly: true,
      order: true,
    }),
    date_finished: datetime({
      label: { en: 'Date finished', zh: '结束日期' },
      readOnly: true,
      nullable: true,
    }),
    ...organizationFields(),
  },
});

/** Result of one server in a run of a gather task. */
export const gatherUserResult = defineResource({
  name: 'gather_user_result',
  path: 'xpack/gathered-user/task-execution-results',
  area: 'operation',
  scope: 'org',
  title: { en: 'Gather user result', zh: '收集用户结果' },
  access: { read: Permission.ADMIN },
  labelField: 'hostname',
  defaultOrder: ['is_success', 'hostname', 'id'],
  audited: false,
  fields: {
    id: id(),
    execution: reference({
      label: { en: 'Execution', zh: '执行' },
      to: 'gather_user_execution',
      readOnly: true,
      filter: true,
    }),
    asset: reference({
      label: LABEL.asset,
      to: 'asset',
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    hostname: text({
      label: { en: 'Hostname', zh: '主机名' },
      max: 128,
      readOnly: true,
      search: true,
      order: true,
    }),
    is_success: boolean({
      label: { en: 'Success', zh: '成功' },
      readOnly: true,
      filter: true,
      order: true,
    }),
    users: integer({ label: { en: 'Users', zh: '用户' }, readOnly: true }),
    reason: computed.string({ label: { en: 'Reason', zh: '原因' }, example: '' }),
    milliseconds: integer({ label: { en: 'Milliseconds', zh: '毫秒' }, readOnly: true }),
    date_created: datetime({ label: { en: 'Date', zh: '日期' }, readOnly: true, order: true }),
    ...organizationFields(),
  },
});
