import type { WorkState } from '../../api/bulk-change.ts';
import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  createdBy,
  datetime,
  id,
  integer,
  organizationFields,
  reference,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** A module of a version, in the format of existing clients. */
export interface AdhocModule {
  readonly name: string;
  readonly action: { readonly module: string; readonly args: string };
}

/** Maximum hosts of each kind in the answer of a run; a separate list contains all stored ones. */
export const MOST_NAMED_HOSTS = 50;
/** Maximum host ids of a version. */
export const MOST_VERSION_HOSTS = 500;
/** Maximum stored hosts of a run: failed ones, and others. */
export const MOST_KEPT_HOSTS = 5_000;

/** Error messages by failed host and module. */
export type HostFailures = Readonly<
  Record<string, Readonly<Record<string, { readonly msg: string }>>>
>;

export interface AdhocRun {
  readonly id: string;
  readonly adhoc: string | null;
  readonly adhoc_short_id: string;
  readonly short_id: string;
  readonly hosts_amount: number;
  readonly stat: {
    readonly total: number;
    readonly success: number;
    readonly failed: number;
    readonly skipped: number;
  };
  readonly is_finished: boolean;
  readonly is_success: boolean;
  readonly outcome: WorkState;
  /** Seconds. */
  readonly timedelta: number;
  readonly date_start: string;
  readonly date_finished: string | null;
  /** The start, under the name that lists of versions use. */
  readonly last_run: string;
  readonly last_success: readonly string[];
  readonly last_failure: HostFailures;
}

const VERSION = { en: 'Version', zh: '版本' };
const TASK = { en: 'Task', zh: '任务' };
const EXAMPLE_ID = '00000000-0000-4000-8000-000000000001';
const shortId = (label: { readonly en: string; readonly zh: string }) =>
  computed.string({ label, example: '0f4b5c6d7e8f' });

/** A version of a task: modules, hosts and account. Changing these creates a new version. */
export const adhoc = defineResource({
  name: 'adhoc',
  path: 'ops/adhoc',
  area: 'operation',
  scope: 'org',
  title: { en: 'Task version', zh: '任务版本' },
  access: { read: Permission.ADMIN },
  labelField: 'id',
  defaultOrder: ['-date_created', 'id'],
  audited: false,
  fields: {
    id: id(),
    short_id: shortId(VERSION),
    task: reference({ label: TASK, to: 'ops_task', readOnly: true, filter: true }),
    task_name: computed.string({ label: { en: 'Task name', zh: '任务名称' } }),
    tasks: computed.json<readonly AdhocModule[]>({
      label: { en: 'Content', zh: '内容' },
      example: [{ name: 'ping', action: { module: 'ping', args: '' } }],
    }),
    pattern: computed.string({ label: { en: 'Pattern', zh: '模式' }, example: 'all' }),
    /** JSON as text: existing clients call string functions on it. */
    options: computed.string({
      label: { en: 'Options', zh: '选项' },
      example: '{"forks": 50, "timeout": 60}',
    }),
    /** The first hosts by id. */
    hosts: computed.json<readonly string[]>({
      label: { en: 'Hosts', zh: '主机' },
      example: [EXAMPLE_ID],
    }),
    hosts_amount: integer({ label: { en: 'Hosts', zh: '主机数量' }, readOnly: true }),
    run_as_admin: boolean({ label: { en: 'Run as admin', zh: '以管理用户运行' }, readOnly: true }),
    run_as: text({ label: { en: 'Run as', zh: '运行用户' }, max: 256, readOnly: true }),
    become_display: computed.string({ label: { en: 'Become', zh: '切换用户' }, example: 'root' }),
    run_times: computed.integer({
      label: { en: 'Runs', zh: '执行次数' },
      detailOnly: true,
      example: 3,
    }),
    latest_execution: computed.json<AdhocRun | null>({
      label: { en: 'Latest execution', zh: '最后执行' },
      detailOnly: true,
      example: null,
    }),
    created_by: createdBy(),
    date_created: createdAt(),
    ...organizationFields(),
  },
});

/** A run of a task. Its id is that of its job. */
export const adhocExecution = defineResource({
  name: 'adhoc_execution',
  path: 'ops/adhoc-executions',
  area: 'operation',
  scope: 'org',
  title: { en: 'Execution', zh: '执行历史' },
  access: { read: Permission.ADMIN },
  labelField: 'id',
  defaultOrder: ['-date_start', 'id'],
  dateField: 'date_start',
  audited: false,
  pages: { list: 'ops/executions' },
  fields: {
    id: id(),
    short_id: shortId({ en: 'ID', zh: 'ID' }),
    task: reference({ label: TASK, to: 'ops_task', readOnly: true, filter: true }),
    task_display: computed.string({ label: TASK, example: 'Test assets connectivity: web-01@' }),
    /** Name of the task in the caller's language. */
    task_title: computed.string({
      label: { en: 'Task name', zh: '任务名称' },
      example: 'Test assets connectivity: web-01',
    }),
    adhoc: reference({ label: VERSION, to: 'adhoc', readOnly: true, nullable: true, filter: true }),
    adhoc_short_id: shortId(VERSION),
    hosts_amount: integer({ label: { en: 'Hosts', zh: '主机数量' }, readOnly: true }),
    stat: computed.json<AdhocRun['stat']>({
      label: { en: 'Succeeded / failed / total', zh: '成功/失败/总' },
      example: { total: 3, success: 2, failed: 1, skipped: 0 },
    }),
    timedelta: computed.json<number>({ label: { en: 'Time', zh: '时间' }, example: 1.52 }),
    is_finished: boolean({
      label: { en: 'Finished', zh: '是否完成' },
      readOnly: true,
      filter: true,
    }),
    is_success: boolean({ label: { en: 'Success', zh: '是否成功' }, readOnly: true, filter: true }),
    /** The state of the job until it succeeds, then the outcome of the hosts. */
    outcome: computed.string({ label: { en: 'State', zh: '状态' }, example: 'partly' }),
    result: computed.json<Readonly<Record<string, never>>>({
      label: { en: 'Result', zh: '结果' },
      example: {},
    }),
    summary: computed.json<{ readonly contacted: readonly string[]; readonly dark: HostFailures }>({
      label: { en: 'Summary', zh: '汇总' },
      example: { contacted: ['web-01'], dark: {} },
    }),
    last_success: computed.json<readonly string[]>({
      label: { en: 'Successful hosts of the last run', zh: '最后运行成功的主机' },
      example: ['web-01'],
    }),
    last_failure: computed.json<HostFailures>({
      label: { en: 'Failed hosts of the last run', zh: '最后运行失败的主机' },
      example: {},
    }),
    date_start: datetime({
      label: { en: 'Date started', zh: '开始日期' },
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

/** Result of a host, or of an account on it, in a run. */
export const adhocExecutionHost = defineResource({
  name: 'adhoc_execution_host',
  path: 'ops/adhoc-execution-hosts',
  area: 'operation',
  scope: 'org',
  title: { en: 'Execution host', zh: '执行主机结果' },
  access: { read: Permission.ADMIN },
  labelField: 'hostname',
  defaultOrder: ['state', 'hostname', 'id'],
  audited: false,
  fields: {
    id: id(),
    execution: reference({
      label: { en: 'Execution', zh: '执行' },
      to: 'adhoc_execution',
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
    username: text({ label: { en: 'Account', zh: '账号' }, max: 128, readOnly: true }),
    state: choice({
      label: { en: 'State', zh: '状态' },
      choices: [
        { value: 'done', label: { en: 'Succeeded', zh: '成功' } },
        { value: 'failed', label: { en: 'Failed', zh: '失败' } },
        { value: 'skipped', label: { en: 'Skipped', zh: '已跳过' } },
      ],
      readOnly: true,
      filter: true,
      order: true,
    }),
    state_display: choiceLabelOf('state', { en: 'State', zh: '状态' }),
    reason: computed.string({ label: { en: 'Reason', zh: '原因' }, example: '' }),
    milliseconds: integer({ label: { en: 'Milliseconds', zh: '毫秒' }, readOnly: true }),
    date_created: datetime({ label: { en: 'Date', zh: '日期' }, readOnly: true, order: true }),
    ...organizationFields(),
  },
});
