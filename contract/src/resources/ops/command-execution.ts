import type { WorkState } from '../../api/bulk-change.ts';
import {
  boolean,
  computed,
  createdAt,
  datetime,
  id,
  integer,
  many,
  reference,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { OUTCOME_FIELDS } from '../common/outcome-fields.ts';
import { LABEL } from '../labels.ts';

/**
 * The result of a host. `err` is set if the command did not run, or failed for another reason than
 * its exit status.
 */
export interface CommandResult {
  readonly cmd: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly rc: number | null;
  /** Duration as `h:mm:ss.ffffff`. */
  readonly delta: string;
  readonly err?: string;
}

/** A stage of a canary run: its number of hosts, and its state from their states. */
export interface CommandStage {
  readonly size: number;
  /** Hosts that failed. */
  readonly failed: number;
  /** `left_out`: the run ended before the stage. */
  readonly state: Exclude<WorkState, 'nothing'> | 'left_out';
}

/** Maximum hosts of a batch command. */
export const MOST_COMMAND_HOSTS = 2_000;

/** Maximum characters of a command. */
const MOST_COMMAND = 16_384;

/** Fields that start a batch command. */
export const COMMAND_FORM = {
  hosts: many({ label: { en: 'Hosts', zh: '主机' }, to: 'asset', minItems: 1 }),
  run_as: reference({ label: { en: 'Run as', zh: '运行用户' }, to: 'system_user' }),
  command: text({
    label: { en: 'Command', zh: '命令' },
    max: MOST_COMMAND,
    multiline: true,
    keepsBlanks: true,
  }),
  is_canary: boolean({
    label: { en: 'In stages', zh: '分批执行' },
    required: false,
    defaultValue: false,
  }),
  failure_limit: integer({
    label: { en: 'Stop if more than (%) fail', zh: '失败率上限（%）' },
    min: 0,
    max: 100,
    required: false,
    defaultValue: 0,
  }),
};

/**
 * Batch commands of the caller in all organizations. A separate route runs them, because
 * permissions decide about commands, not roles.
 */
export const commandExecution = defineResource({
  name: 'command_execution',
  path: 'ops/command-executions',
  scope: 'own',
  title: { en: 'Batch command', zh: '批量命令' },
  access: { read: Permission.USE },
  labelField: 'command',
  defaultOrder: ['-date_created', 'id'],
  dateField: 'date_created',
  audited: false,
  parameters: ['outcome'],
  startForm: COMMAND_FORM,
  fields: {
    id: id(),
    hosts: computed.json<readonly string[]>({
      label: { en: 'Hosts', zh: '主机' },
      example: ['00000000-0000-4000-8000-000000000001'],
    }),
    hosts_amount: integer({ label: { en: 'Hosts', zh: '主机数' }, readOnly: true, order: true }),
    run_as: reference({
      label: { en: 'Run as', zh: '运行用户' },
      to: 'system_user',
      readOnly: true,
      filter: true,
    }),
    run_as_display: text({
      label: { en: 'System user', zh: '系统用户' },
      max: 256,
      readOnly: true,
      search: true,
    }),
    user_display: text({ label: LABEL.user, max: 256, readOnly: true, search: true }),
    command: text({
      label: { en: 'Command', zh: '命令' },
      max: 65_536,
      readOnly: true,
      search: true,
      multiline: true,
    }),
    result: computed.json<Readonly<Record<string, CommandResult | string>>>({
      label: { en: 'Result', zh: '结果' },
      detailOnly: true,
      example: {
        'web-01': {
          cmd: 'uptime',
          stdout: 'up 3 days\n',
          stderr: '',
          rc: 0,
          delta: '0:00:00.214000',
        },
      },
    }),
    log_url: computed.string({ label: { en: 'Log', zh: '日志' } }),
    is_canary: boolean({ label: { en: 'In stages', zh: '分批执行' }, readOnly: true }),
    failure_limit: integer({
      label: { en: 'Stop if more than (%) fail', zh: '失败率上限（%）' },
      readOnly: true,
    }),
    /** Hosts on which the command ended, with or without success. */
    done_amount: integer({ label: { en: 'Finished', zh: '已完成' }, readOnly: true }),
    failed_amount: integer({ label: { en: 'Failed', zh: '失败' }, readOnly: true, order: true }),
    canceled_amount: integer({ label: { en: 'Canceled', zh: '已取消' }, readOnly: true }),
    ...OUTCOME_FIELDS,
    /** The stages of a canary run; empty for other runs. */
    stages: computed.json<readonly CommandStage[]>({
      label: { en: 'Stages', zh: '批次' },
      detailOnly: true,
      example: [{ size: 1, failed: 0, state: 'succeeded' }],
    }),
    is_finished: boolean({
      label: { en: 'Finished', zh: '是否完成' },
      readOnly: true,
      filter: true,
    }),
    is_success: boolean({ label: { en: 'Success', zh: '是否成功' }, readOnly: true, filter: true }),
    reason: computed.string({ label: { en: 'Reason', zh: '原因' } }),
    date_created: createdAt(),
    date_start: datetime({
      label: { en: 'Date started', zh: '开始日期' },
      readOnly: true,
      order: true,
    }),
    date_finished: datetime({
      label: { en: 'Date finished', zh: '结束日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
  },
});
