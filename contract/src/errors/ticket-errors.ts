import type { LocalText } from '../kit/text.ts';

/** Errors of tickets and access requests. */
export const TICKET_ERRORS = {
  ticket_closed: {
    en: '{who} closed this ticket at {when}: {how}.',
    zh: '{who} 已于 {when} 处理此工单：{how}。',
  },
  ticket_not_assignee: { en: 'Only assignees can answer this ticket.', zh: '只有处理人可以操作。' },
  ticket_not_reviewer: {
    en: 'You are no longer a reviewer of this request.',
    zh: '您已不再是该申请的审批人。',
  },
  ticket_stage_over: {
    en: 'Another reviewer has decided this stage. Reload the page.',
    zh: '其他审批人已处理该级审批，请刷新页面。',
  },
  ticket_next_stage_nobody: {
    en: 'After your approval no other user could decide the next stages. Let another reviewer decide this stage, or reject the request.',
    zh: '您同意后，没有其他用户可以审批后续各级。请由其他审批人处理本级，或拒绝该申请。',
  },
  ticket_connection_over: {
    en: 'The connection no longer waits, so it cannot be approved.',
    zh: '该连接已不再等待，无法批准。',
  },
  deputy_unknown: {
    en: 'No other user of your organizations has the username “{name}”, or the account cannot sign in.',
    zh: '您所在的组织中没有其他用户名为“{name}”的用户，或该账号不能登录。',
  },
  deputy_over: { en: 'The end must be in the future.', zh: '结束时间必须在未来。' },
  ticket_own: {
    en: 'You cannot answer your own ticket. Another assignee must answer it.',
    zh: '不能处理自己的工单，请由其他处理人处理。',
  },
  ticket_fixed: {
    en: 'Only the requester can change this ticket.',
    zh: '只有申请人可以修改此工单。',
  },
  ticket_made_by_server: {
    en: 'This ticket cannot be edited or deleted: answer or close it.',
    zh: '该工单不能编辑或删除，只能处理或关闭。',
  },
  request_elsewhere: {
    en: 'Switch to the organization {name}, where you are an administrator, to answer this request.',
    zh: '请切换到您担任管理员的组织 {name} 后再处理此申请。',
  },
  request_no_assets: { en: 'Confirm the assets first.', zh: '请先确认资产。' },
  request_no_apps: { en: 'Confirm the applications first.', zh: '请先确认应用。' },
  request_no_account: { en: 'Confirm a system user first.', zh: '请先确认系统用户。' },
  request_user_gone: {
    en: 'The requester’s account no longer exists.',
    zh: '申请人的账号已不存在。',
  },
  request_no_host: {
    en: 'Enter a hostname or IP addresses.',
    zh: '请填写主机名或 IP 地址。',
  },
  request_no_app: { en: 'Enter the name of the application.', zh: '请填写应用名称。' },
  request_not_administrator: {
    en: 'An organization administrator or super administrator is required.',
    zh: '必须是组织管理员或超级管理员。',
  },
  request_too_long: {
    en: 'You can request access for at most {max} days.',
    zh: '最长可申请 {max} 天。',
  },
  ticket_feature_off: {
    en: 'The feature of this ticket is switched off. Answer it when the feature is on again.',
    zh: '该工单所属功能已关闭，请在功能重新启用后处理。',
  },
  ticket_kept: { en: 'An answered ticket cannot be deleted.', zh: '已处理的工单不能删除。' },
  ticket_for_others: {
    en: 'Only administrators can open a ticket for another user.',
    zh: '只有管理员可以代他人提交工单。',
  },
} as const satisfies Record<string, LocalText>;
