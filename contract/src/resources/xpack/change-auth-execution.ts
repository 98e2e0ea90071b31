import {
  boolean,
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
import { OUTCOME_FIELDS } from '../common/outcome-fields.ts';
import { LABEL } from '../labels.ts';
import { KEY_STRATEGY, PASSWORD_STRATEGY } from './change-auth-plan.ts';

const PLAN = { en: 'Plan', zh: '计划' };
const STEP = { en: 'Step', zh: '步骤' };
const SECONDS = { en: 'Duration', zh: '耗时' };

/** Strategy of a run: that of its plan; a run without a plan restores a stored version. */
const EXECUTION_STRATEGY = {
  ...PASSWORD_STRATEGY,
  choices: [
    ...PASSWORD_STRATEGY.choices,
    { value: 'stored', label: { en: 'A stored version', zh: '已保存的版本' } },
  ],
} as const;

/** Number of servers by result. */
export interface ResultSummary {
  readonly succeed: number;
  readonly failed: number;
  readonly total: number;
}

/** Server of a subtask. */
export interface AssetInfo {
  readonly hostname: string;
  readonly ip: string;
}

/** Fields that start a plan. */
export const CHANGE_AUTH_FORM = { plan: reference({ label: PLAN, to: 'change_auth_plan' }) };

/** A run of a plan. Its id is that of its job. */
export const changeAuthExecution = defineResource({
  name: 'change_auth_execution',
  path: 'xpack/change-auth-plan/plan-execution',
  area: 'secrets',
  scope: 'org',
  title: { en: 'Rotation run', zh: '改密执行' },
  access: { read: Permission.ADMIN },
  labelField: 'id',
  defaultOrder: ['-date_start', 'id'],
  dateField: 'date_start',
  parameters: ['plan_id'],
  audited: false,
  startForm: CHANGE_AUTH_FORM,
  fields: {
    id: id(),
    plan: reference({
      label: PLAN,
      to: 'change_auth_plan',
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    plan_display: displayOf('plan', PLAN),
    username: text({ label: LABEL.username, max: 32, readOnly: true }),
    assets_amount: integer({ label: LABEL.assetsAmount, readOnly: true }),
    nodes_amount: integer({ label: { en: 'Nodes', zh: '节点数量' }, readOnly: true }),
    result_summary: computed.json<ResultSummary>({
      label: { en: 'Result', zh: '结果' },
      example: { succeed: 2, failed: 0, total: 2 },
    }),
    ...OUTCOME_FIELDS,
    password_strategy: choice({ ...EXECUTION_STRATEGY, readOnly: true }),
    password_strategy_display: choiceLabelOf('password_strategy', PASSWORD_STRATEGY.label),
    key_strategy: choice({ ...KEY_STRATEGY, readOnly: true }),
    key_strategy_display: choiceLabelOf('key_strategy', KEY_STRATEGY.label),
    timedelta: computed.json<number>({ label: SECONDS, example: 1.52 }),
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

/** The change of one account on one server. */
export const changeAuthSubtask = defineResource({
  name: 'change_auth_subtask',
  path: 'xpack/change-auth-plan/plan-execution-subtask',
  area: 'secrets',
  scope: 'org',
  title: { en: 'Rotation task', zh: '改密任务' },
  access: { read: Permission.ADMIN },
  labelField: 'hostname',
  defaultOrder: ['hostname', 'id'],
  parameters: ['plan_execution_id'],
  audited: false,
  fields: {
    id: id(),
    plan_execution: reference({
      label: { en: 'Execution', zh: '执行' },
      to: 'change_auth_execution',
      readOnly: true,
    }),
    asset: reference({
      label: LABEL.asset,
      to: 'asset',
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    asset_info: computed.json<AssetInfo>({
      label: LABEL.asset,
      example: { hostname: 'web-prod-01', ip: '10.20.30.41' },
    }),
    hostname: text({
      label: { en: 'Hostname', zh: '主机名' },
      max: 128,
      readOnly: true,
      search: true,
      order: true,
    }),
    ip: text({ label: { en: 'IP', zh: 'IP' }, max: 128, readOnly: true, search: true }),
    username: text({ label: LABEL.username, max: 32, readOnly: true }),
    step: choice({
      label: STEP,
      choices: [
        { value: 'ready', label: { en: 'Ready', zh: '准备' } },
        { value: 'preflight', label: { en: 'Preflight check', zh: '预检' } },
        { value: 'change', label: { en: 'Change secret', zh: '更改' } },
        { value: 'verify', label: { en: 'Verify', zh: '验证' } },
        { value: 'keep', label: { en: 'Store', zh: '保存' } },
        { value: 'finished', label: { en: 'Finished', zh: '结束' } },
      ],
      readOnly: true,
      filter: true,
    }),
    step_display: choiceLabelOf('step', STEP),
    is_success: boolean({
      label: { en: 'Success', zh: '成功' },
      readOnly: true,
      nullable: true,
      filter: true,
      order: true,
    }),
    /** True if the valid password is unknown, so an administrator must check the server. */
    needs_attention: boolean({
      label: { en: 'Needs attention', zh: '需要处理' },
      readOnly: true,
      filter: true,
    }),
    reason: computed.string({ label: { en: 'Reason', zh: '原因' }, example: '' }),
    can_retry: computed.boolean({
      label: { en: 'Can run again', zh: '可重新运行' },
      example: false,
    }),
    timedelta: computed.json<number>({ label: SECONDS, example: 1.52 }),
    date_start: datetime({
      label: { en: 'Date start', zh: '开始日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    ...organizationFields(),
  },
});
