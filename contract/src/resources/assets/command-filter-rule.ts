import {
  boolean,
  choice,
  choiceLabelOf,
  createdAt,
  createdBy,
  id,
  integer,
  organizationFields,
  reference,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import { conditionFields } from '../perms/condition-fields.ts';
import { commandFilter } from './command-filter.ts';

export const RULE_ALLOW = 1;
/** Actions that ask: 2 a reviewer, 3 and 4 the user. */
export const RULE_HOLD = 2;
export const RULE_CONFIRM = 3;
export const RULE_WARN = 4;

const TYPE = { en: 'Type', zh: '类型' };
const ACTION = { en: 'Action', zh: '动作' };

/** A rule that denies or allows matching commands. */
export const commandFilterRule = defineResource({
  name: 'command_filter_rule',
  path: 'rules',
  area: 'rules',
  parent: { resource: commandFilter, field: 'filter' },
  scope: 'org',
  title: { en: 'Command filter rule', zh: '命令过滤规则' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  labelField: 'content',
  defaultOrder: ['-priority', 'action'],
  pages: { list: 'assets/command-filter-rules' },
  fields: {
    id: id(),
    type: choice({
      label: TYPE,
      choices: [
        { value: 'command', label: { en: 'Command', zh: '命令' } },
        { value: 'regex', label: { en: 'Regular expression', zh: '正则表达式' } },
      ],
      defaultValue: 'command',
      filter: true,
      order: true,
    }),
    type_display: choiceLabelOf('type', TYPE),
    content: text({
      label: { en: 'Content', zh: '内容' },
      help: {
        en: 'Commands as typed, one per line, or a regular expression in RE2 syntax for any part of the line',
        zh: '每行一条命令，与输入的内容相同；正则表达式为 RE2 语法，可匹配任意位置',
      },
      max: 1024,
      multiline: true,
      keepsBlanks: true,
      search: true,
      order: true,
      example: 'rm\nshutdown now',
    }),
    priority: integer({
      label: { en: 'Priority', zh: '优先级' },
      help: { en: '1-100; higher numbers are checked first', zh: '1-100，数字越大越先匹配' },
      min: 1,
      max: 100,
      defaultValue: 50,
      order: true,
    }),
    action: choice({
      label: ACTION,
      choices: [
        { value: 0, label: { en: 'Deny', zh: '禁止' } },
        { value: RULE_HOLD, label: { en: 'Hold for review', zh: '复核' } },
        { value: RULE_CONFIRM, label: { en: 'Confirm', zh: '确认' } },
        { value: RULE_WARN, label: { en: 'Warn', zh: '警告' } },
        { value: RULE_ALLOW, label: { en: 'Allow', zh: '允许' } },
      ],
      defaultValue: 0,
      filter: true,
      order: true,
    }),
    action_display: choiceLabelOf('action', ACTION),
    message: text({
      label: { en: 'Message to the user', zh: '提示信息' },
      help: {
        en: 'Shown with the question or the denial; empty: the filter and the rule',
        zh: '询问或禁止时显示；留空则显示过滤器和规则',
      },
      max: 255,
      required: false,
      defaultValue: '',
      example: 'This stops the service for all customers',
    }),
    word: text({
      label: { en: 'Word to type', zh: '确认词' },
      help: {
        en: 'The user types it to confirm; empty: the name of the asset',
        zh: '用户须输入该内容以确认；留空为资产名称',
      },
      max: 64,
      required: false,
      defaultValue: '',
      example: 'production',
    }),
    minutes: integer({
      label: { en: 'Time for the review (minutes)', zh: '复核时限（分钟）' },
      help: {
        en: 'Without a decision in this time, the command is denied',
        zh: '超过该时间未处理则禁止执行',
      },
      min: 1,
      max: 60,
      defaultValue: 5,
    }),
    ...conditionFields(),
    is_active: boolean({ label: LABEL.isActive, defaultValue: true, filter: true }),
    comment: text({
      label: LABEL.comment,
      max: 64,
      required: false,
      multiline: true,
      defaultValue: '',
    }),
    filter: reference({ label: commandFilter.title, to: 'command_filter', readOnly: true }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
