import { WORK_STATES } from '../../api/bulk-change.ts';
import {
  choice,
  computed,
  datetime,
  id,
  integer,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';

const STATES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;

/**
 * Background jobs. Users see their own; administrators those of their organization; administrators
 * and auditors of the installation all. Auditors of an organization see its batch commands.
 */
export const job = defineResource({
  name: 'job',
  path: 'common/jobs',
  area: 'jobs',
  parameters: ['attention', 'outcome'],
  scope: 'global',
  title: { en: 'Job', zh: '任务' },
  access: { read: Permission.USE },
  defaultOrder: ['-date_created', 'id'],
  dateField: 'date_created',
  histogram: {
    marks: { filter: { outcome: 'partly,failed' }, label: { en: 'Failed', zh: '失败' } },
  },
  audited: false,
  pages: { list: 'jobs/jobs' },
  fields: {
    id: id(),
    name: text({
      label: { en: 'Kind', zh: '类型' },
      max: 64,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    title: computed.string({ label: { en: 'Job', zh: '任务' } }),
    subject: text({ label: { en: 'Subject', zh: '对象' }, max: 256, readOnly: true, search: true }),
    state: choice({
      label: { en: 'State', zh: '状态' },
      choices: STATES.map((value) => ({ value, label: WORK_STATES[value] })),
      readOnly: true,
      filter: true,
      order: true,
    }),
    /** For ended jobs, the outcome of their objects; for others, the state. */
    outcome: computed.string({ label: { en: 'Outcome', zh: '结果' }, example: 'succeeded' }),
    state_display: computed.string({ label: { en: 'State', zh: '状态' }, example: 'Succeeded' }),
    done: integer({ label: { en: 'Done', zh: '已完成' }, readOnly: true }),
    total: integer({ label: { en: 'Total', zh: '总数' }, readOnly: true }),
    /** Number of failures among the completed objects. */
    failed: integer({ label: { en: 'Failed', zh: '失败数' }, readOnly: true }),
    skipped: integer({ label: { en: 'Skipped', zh: '跳过数' }, readOnly: true }),
    attempt: integer({ label: { en: 'Tries', zh: '尝试次数' }, readOnly: true }),
    reason: computed.string({ label: { en: 'Reason', zh: '原因' } }),
    started_by: text({
      label: { en: 'Started by', zh: '发起人' },
      max: 256,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    can_cancel: computed.boolean({ label: { en: 'Can cancel', zh: '可取消' } }),
    can_retry: computed.boolean({ label: { en: 'Can run again', zh: '可重新运行' } }),
    date_created: datetime({
      label: { en: 'Date created', zh: '创建日期' },
      readOnly: true,
      order: true,
    }),
    date_started: datetime({
      label: { en: 'Date started', zh: '开始日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    date_finished: datetime({
      label: { en: 'Date finished', zh: '结束日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    ...organizationFields(),
  },
});
