import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  mine: { zh: '我的工单', en: 'My tickets' },
  assigned: { zh: '待处理', en: 'Assigned to me' },
  request: { zh: '申请访问权限', en: 'Request access' },
  hint: {
    zh: '需要他人处理的请求。只有申请人和处理人可以查看工单。',
    en: 'Requests that need an answer. Only the requester and the assignees see a ticket.',
  },
  noMine: { zh: '您还没有提交工单。', en: 'You have no tickets.' },
  noneOpen: { zh: '没有开启的工单', en: 'No open tickets' },
  noAssigned: { zh: '没有等待您处理的工单。', en: 'No tickets need your decision.' },
  open: { zh: '开启', en: 'Open' },
  closed: { zh: '关闭', en: 'Closed' },
  comments: { zh: '备注', en: 'Comments' },
  noComments: { zh: '暂无备注。', en: 'No comments yet.' },
  reply: { zh: '回复', en: 'Reply' },
  close: { zh: '关闭', en: 'Close without a decision' },
  withdraw: { zh: '撤回', en: 'Withdraw' },
  comment: { zh: '备注', en: 'Comment' },
  own: { zh: '不能处理自己的工单。', en: 'You cannot answer your own ticket.' },
  ended: { zh: '{who} 已处理此工单：{how}', en: '{who} closed this ticket: {how}' },
  isClosed: { zh: '工单已关闭。', en: 'This ticket is closed.' },
});
