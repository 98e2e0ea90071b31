import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  id,
  integer,
  namedObjects,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL, RISK } from '../labels.ts';

const ro = <const T extends { en: string; zh: string }>(label: T, max: number) =>
  text({ label, max, readOnly: true, filter: true });

const VERDICT = { en: 'Answer', zh: '确认结果' };

/** Answers to the question of a rule, or before a statement that affects every row. */
export const COMMAND_VERDICTS = [
  { value: 'none', label: { en: 'Nothing asked', zh: '无需确认' } },
  { value: 'acknowledged', label: { en: 'Ran after a warning', zh: '警告后执行' } },
  { value: 'confirmed', label: { en: 'Ran after a confirmation', zh: '确认后执行' } },
  { value: 'declined', label: { en: 'Declined by the user', zh: '用户已放弃' } },
  { value: 'unanswered', label: { en: 'No answer in time', zh: '超时未确认' } },
  { value: 'unasked', label: { en: 'The client could not be asked', zh: '客户端无法确认' } },
  { value: 'approved', label: { en: 'Approved by a reviewer', zh: '复核通过' } },
  { value: 'rejected', label: { en: 'Rejected by a reviewer', zh: '复核拒绝' } },
  { value: 'expired', label: { en: 'Not reviewed', zh: '未经复核' } },
  { value: 'withdrawn', label: { en: 'Withdrawn by the user', zh: '用户已撤回' } },
] as const;

export type CommandVerdict = (typeof COMMAND_VERDICTS)[number]['value'];

/** Verdicts by which the user decided that the command does not run: no denial and no risk. */
export const DECLINED_VERDICTS = [
  'declined',
  'withdrawn',
] as const satisfies readonly CommandVerdict[];

/** Returns true if the user decided that the command does not run. */
export const isDeclined = (verdict: string): boolean =>
  DECLINED_VERDICTS.some((one) => one === verdict);

/** A command typed at a prompt, or a statement sent to a database, with the start of its output. */
export const command = defineResource({
  name: 'command',
  path: 'terminal/commands',
  area: 'logs',
  parameters: ['session_id', 'input'],
  scope: 'org',
  title: { en: 'Command', zh: '命令' },
  access: { read: Permission.AUDIT },
  labelField: 'input',
  defaultOrder: ['-date', '-sequence'],
  dateField: 'date',
  histogram: { marks: { filter: { risk_level: '5' }, label: { en: 'Dangerous', zh: '危险' } } },
  audited: false,
  searchable: { note: '{user} · {asset}', page: 'terminal/sessions/{session}', shortest: 3 },
  fields: {
    id: id(),
    user: ro(LABEL.user, 64),
    asset: ro(LABEL.asset, 128),
    system_user: ro(LABEL.systemUser, 64),
    input: text({
      label: { en: 'Command', zh: '命令' },
      max: 4096,
      readOnly: true,
      search: true,
      multiline: true,
    }),
    output: text({
      label: { en: 'Output', zh: '输出' },
      max: 1024,
      readOnly: true,
      multiline: true,
    }),
    session: text({ label: { en: 'Session', zh: '会话' }, max: 36, readOnly: true, filter: true }),
    risk_level: choice({
      label: RISK.label,
      choices: RISK.choices,
      readOnly: true,
      filter: true,
      order: true,
    }),
    risk_level_display: choiceLabelOf('risk_level', RISK.label),
    /** The server did not allow it. False if the user declined it: see `verdict`. */
    is_denied: boolean({
      label: { en: 'Denied', zh: '已禁止' },
      readOnly: true,
      filter: true,
      yesMeans: 'care',
    }),
    verdict: choice({ label: VERDICT, choices: COMMAND_VERDICTS, readOnly: true, filter: true }),
    verdict_display: choiceLabelOf('verdict', VERDICT),
    /** Author of the command if the session had guests; null otherwise. */
    typed_by: text({
      label: { en: 'Typed by', zh: '输入者' },
      max: 1024,
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    /**
     * Rows returned or changed by a statement; null for commands, and if the database reports none.
     */
    row_count: integer({ label: { en: 'Rows', zh: '行数' }, readOnly: true, nullable: true }),
    /** Duration of a statement in milliseconds. */
    duration_ms: integer({
      label: { en: 'Duration (ms)', zh: '耗时（毫秒）' },
      readOnly: true,
      nullable: true,
    }),
    /** Rows of the undo script that is kept with an UPDATE or DELETE; null without a script. */
    undo_rows: computed.integer({ label: { en: 'Undo script (rows)', zh: '撤销脚本（行）' } }),
    /** True if the database returned an error. */
    is_failed: boolean({
      label: { en: 'Failed', zh: '失败' },
      readOnly: true,
      filter: true,
      yesMeans: 'care',
    }),
    /** True if the key tree of the query workspace ran it. */
    is_by_key_tree: boolean({
      label: { en: 'By the key tree', zh: '由键树执行' },
      readOnly: true,
      filter: true,
    }),
    /** Error message of the database. */
    error: text({
      label: { en: 'Error', zh: '错误' },
      max: 1024,
      readOnly: true,
      nullable: true,
      multiline: true,
    }),
    /** Seconds since the start of the session; a replay can jump there. */
    offset_seconds: computed.integer({
      label: { en: 'Seconds into the session', zh: '会话内时间（秒）' },
    }),
    timestamp: computed.integer({ label: { en: 'Date', zh: '日期' } }),
    sequence: integer({ label: { en: 'Sequence', zh: '序号' }, readOnly: true, order: true }),
    links: namedObjects(),
    ...organizationFields(),
  },
});
