import { WORK_STATES } from '../../api/bulk-change.ts';
import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  createdBy,
  datetime,
  displayOf,
  id,
  list,
  organizationFields,
  reference,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { periodFields } from '../../kit/period.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const ACCOUNT = { en: 'Account', zh: '账号' };
const NODE = { en: 'Node', zh: '节点' };
const ADMIN_USER = { en: 'Admin user', zh: '管理用户' };
const TASK = { en: 'Task', zh: '任务' };
const STATUS = { en: 'Status', zh: '状态' };
const REGION = { en: 'Region', zh: '地域' };
const DATE_SYNC = { en: 'Date synced', zh: '同步日期' };

/** Format of region names, which become parts of addresses. */
export const REGION_PATTERN = /^[a-z]{2}[a-z0-9-]{1,40}$/;
/** Maximum regions of a task. */
export const MAX_REGIONS = 64;

/**
 * Imports instances of a cloud account as assets, on schedule or on demand (permissions.md, section
 * 6.4).
 */
export const cloudSyncTask = defineResource({
  name: 'cloud_sync_task',
  path: 'xpack/cloud/sync-instance-tasks',
  area: 'operation',
  scope: 'org',
  title: { en: 'Instance sync task', zh: '同步实例任务' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    account: reference({ label: ACCOUNT, to: 'cloud_account', filter: true }),
    account_display: displayOf('account', ACCOUNT),
    regions: list({
      label: REGION,
      minItems: 1,
      maxItems: MAX_REGIONS,
      max: 42,
      example: ['cn-hangzhou'],
    }),
    hostname_strategy: choice({
      label: { en: 'Hostname strategy', zh: '主机名策略' },
      choices: [
        {
          value: 'instance_name_partial_ip',
          label: { en: 'Instance name and partial IP', zh: '实例名称和部分 IP' },
        },
        { value: 'instance_name', label: { en: 'Instance name', zh: '实例名称' } },
      ],
      defaultValue: 'instance_name_partial_ip',
      required: false,
    }),
    node: reference({ label: NODE, to: 'node' }),
    node_display: displayOf('node', NODE),
    admin_user: reference({ label: ADMIN_USER, to: 'admin_user', required: false, nullable: true }),
    admin_user_display: displayOf('admin_user', ADMIN_USER),
    is_always_update: boolean({
      label: { en: 'Always update', zh: '总是更新' },
      help: { en: 'Keeps asset details up to date', zh: '使资产信息保持最新' },
      defaultValue: false,
      yesMeans: 'neither',
    }),
    ...periodFields(),
    history_count: computed.integer({ label: { en: 'Runs', zh: '执行次数' }, example: 3 }),
    instance_count: computed.integer({
      label: { en: 'Instances', zh: '实例个数' },
      example: 12,
    }),
    date_last_sync: datetime({
      label: { en: 'Date last sync', zh: '最后同步日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});

/** Number of instances by result. */
export interface SyncSummary {
  readonly new: number;
  readonly unsync: number;
  readonly sync: number;
  readonly released: number;
}

/** A run of a sync task. Its id is that of its job. */
export const cloudSyncExecution = defineResource({
  name: 'cloud_sync_execution',
  path: 'history',
  area: 'operation',
  parent: { resource: cloudSyncTask, field: 'task' },
  scope: 'org',
  title: { en: 'Sync task history', zh: '同步历史' },
  access: { read: Permission.ADMIN },
  labelField: 'id',
  defaultOrder: ['-date_sync', 'id'],
  dateField: 'date_sync',
  audited: false,
  pages: { list: 'xpack/cloud/sync-instance-tasks/history' },
  fields: {
    id: id(),
    task: reference({ label: TASK, to: 'cloud_sync_task', readOnly: true }),
    task_display: displayOf('task', TASK),
    summary: computed.json<SyncSummary>({
      label: { en: 'Summary', zh: '汇总' },
      example: { new: 2, unsync: 0, sync: 10, released: 1 },
    }),
    status: choice({
      label: STATUS,
      choices: [
        { value: 0, label: WORK_STATES.failed },
        { value: 1, label: WORK_STATES.succeeded },
        { value: 2, label: WORK_STATES.running },
      ],
      readOnly: true,
      filter: true,
      order: true,
    }),
    status_display: choiceLabelOf('status', STATUS),
    reason: computed.string({ label: { en: 'Reason', zh: '原因' }, example: '' }),
    date_sync: datetime({ label: DATE_SYNC, readOnly: true, order: true }),
    date_finished: datetime({
      label: { en: 'Date finished', zh: '结束日期' },
      readOnly: true,
      nullable: true,
    }),
    ...organizationFields(),
  },
});

/** An instance found by a sync task, with its result. */
export const cloudInstance = defineResource({
  name: 'cloud_instance',
  path: 'instances',
  area: 'operation',
  parent: { resource: cloudSyncTask, field: 'task' },
  scope: 'org',
  title: { en: 'Synced instance', zh: '同步实例' },
  access: { read: Permission.ADMIN },
  labelField: 'instance_id',
  defaultOrder: ['name', 'instance_id'],
  audited: false,
  pages: { list: 'xpack/cloud/sync-instance-tasks/instances' },
  fields: {
    id: id(),
    task: reference({ label: TASK, to: 'cloud_sync_task', readOnly: true }),
    instance_id: text({
      label: { en: 'Instance', zh: '实例' },
      max: 128,
      readOnly: true,
      search: true,
      order: true,
      filter: true,
    }),
    name: text({
      label: { en: 'Instance name', zh: '实例名称' },
      max: 256,
      readOnly: true,
      search: true,
      order: true,
    }),
    ip: text({ label: { en: 'IP', zh: 'IP' }, max: 64, readOnly: true, search: true }),
    asset: reference({
      label: LABEL.asset,
      to: 'asset',
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    asset_display: displayOf('asset', LABEL.asset),
    region: text({ label: REGION, max: 64, readOnly: true, filter: true, order: true }),
    status: choice({
      label: STATUS,
      choices: [
        { value: 0, label: { en: 'Not synced', zh: '未同步' } },
        { value: 1, label: { en: 'Synced (new)', zh: '已同步（新增）' } },
        { value: 2, label: { en: 'Synced', zh: '已同步' } },
        { value: 3, label: { en: 'Released', zh: '已释放' } },
      ],
      readOnly: true,
      filter: true,
      order: true,
    }),
    status_display: choiceLabelOf('status', STATUS),
    /** Reason why it is no asset, in the caller's language. */
    reason: computed.string({ label: { en: 'Reason', zh: '原因' }, example: '' }),
    /** True if a user deleted its asset; runs then create no new one until this is reset. */
    is_left_out: boolean({
      label: { en: 'Excluded', zh: '不再同步' },
      readOnly: true,
      filter: true,
    }),
    date_sync: datetime({ label: DATE_SYNC, readOnly: true, order: true }),
    ...organizationFields(),
  },
});
