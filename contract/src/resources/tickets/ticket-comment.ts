import { createdAt, id, reference, text, updatedAt } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { ticket } from './ticket.ts';

/** Messages of requester and assignees; immutable. */
export const ticketComment = defineResource({
  name: 'ticket_comment',
  path: 'comments',
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
