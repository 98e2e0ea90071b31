import { FEATURE_TICKET_TYPES } from '../../features/features.ts';
import {
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  datetime,
  id,
  many,
  reference,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';

const TYPE = { en: 'Type', zh: '类型' };

const ACTION = { en: 'Action', zh: '动作' };

/** Types of tickets. */
export const TICKET_TYPES = [
  { value: 'general', label: { en: 'General', zh: '一般' } },
  { value: 'login_confirm', label: { en: 'Sign-in confirmation', zh: '登录复核' } },
  { value: 'request_asset', label: { en: 'Request for assets', zh: '申请资产授权' } },
  { value: 'request_app', label: { en: 'Request for applications', zh: '申请应用授权' } },
  ...FEATURE_TICKET_TYPES,
  { value: 'held_command', label: { en: 'Waiting command', zh: '待复核命令' } },
  { value: 'connection', label: { en: 'Waiting connection', zh: '待审批连接' } },
] as const;

export type TicketType = (typeof TICKET_TYPES)[number]['value'];

/** Decisions of an assignee. */
export const TICKET_ACTIONS = [
  { value: '', label: { en: 'Not answered', zh: '未处理' } },
  { value: 'approve', label: { en: 'Approve', zh: '同意' } },
  { value: 'reject', label: { en: 'Reject', zh: '拒绝' } },
] as const;

/** A user's question, answered by one of its assignees. Only they and the requester see it. */
export const ticket = defineResource({
  name: 'ticket',
  path: 'tickets/tickets',
  area: 'tickets',
  parameters: ['assign'],
  scope: 'global',
  title: { en: 'Ticket', zh: '工单' },
  access: {
    read: Permission.USE,
    create: Permission.USE,
    update: Permission.USE,
    delete: Permission.USE,
  },
  labelField: 'title',
  defaultOrder: ['-date_created', 'id'],
  fields: {
    id: id(),
    user: reference({
      label: { en: 'User', zh: '用户' },
      to: 'user',
      nullable: true,
      required: false,
    }),
    user_display: text({
      label: { en: 'User', zh: '用户' },
      max: 260,
      readOnly: true,
      search: true,
      order: true,
      filter: true,
    }),
    title: text({
      label: { en: 'Title', zh: '标题' },
      max: 256,
      search: true,
      order: true,
      filter: true,
    }),
    body: text({ label: { en: 'Body', zh: '内容' }, max: 10_000, multiline: true }),
    assignees: many({
      label: { en: 'Assignees', zh: '处理人' },
      to: 'user',
      required: true,
      minItems: 1,
    }),
    assignees_display: computed.string({ label: { en: 'Assignees', zh: '处理人' } }),
    assignee: reference({
      label: { en: 'Assignee', zh: '实际处理人' },
      to: 'user',
      nullable: true,
      readOnly: true,
    }),
    assignee_display: text({
      label: { en: 'Assignee', zh: '实际处理人' },
      max: 260,
      readOnly: true,
    }),
    status: choice({
      label: { en: 'Status', zh: '状态' },
      choices: [
        { value: 'open', label: { en: 'Open', zh: '开启' } },
        { value: 'closed', label: { en: 'Closed', zh: '关闭' } },
      ],
      defaultValue: 'open',
      filter: true,
      order: true,
    }),
    action: choice({
      label: ACTION,
      choices: TICKET_ACTIONS,
      defaultValue: '',
      required: false,
      filter: true,
      order: true,
    }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    type: choice({ label: TYPE, choices: TICKET_TYPES, readOnly: true, filter: true, order: true }),
    type_display: computed.string({ label: TYPE, from: { choiceLabel: 'type' }, order: true }),
    action_display: choiceLabelOf('action', ACTION),
    closed_by: text({ label: { en: 'Closed by', zh: '关闭者' }, max: 260, readOnly: true }),
    date_closed: datetime({
      label: { en: 'Date closed', zh: '关闭日期' },
      nullable: true,
      readOnly: true,
    }),
    stage: computed.integer({ label: { en: 'Stage', zh: '当前级' } }),
    stages: computed.integer({ label: { en: 'Stages', zh: '审批级数' } }),
    decisions_display: computed.string({ label: { en: 'Decisions', zh: '审批记录' } }),
  },
});

/** Messages of requester and assignees; immutable. */
export const ticketComment = defineResource({
  name: 'ticket_comment',
  path: 'comments',
  area: 'tickets',
  parent: { resource: ticket, field: 'ticket' },
  scope: 'global',
  title: { en: 'Comment', zh: '备注' },
  access: { read: Permission.USE, create: Permission.USE },
  labelField: 'body',
  miniFields: ['id', 'user_display'],
  defaultOrder: ['date_created', 'id'],
  fields: {
    id: id(),
    ticket: reference({ label: ticket.title, to: 'ticket', readOnly: true }),
    body: text({ label: { en: 'Body', zh: '内容' }, max: 10_000, multiline: true }),
    user_display: text({ label: { en: 'User', zh: '用户' }, max: 260, readOnly: true }),
    date_created: createdAt(),
    date_updated: updatedAt(),
  },
});
