import type { LocalText } from '../kit/text.ts';

/** Errors of tickets, access requests and emergency access. */
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
  emergency_too_long: {
    en: 'Emergency access can be opened for at most {max} minutes.',
    zh: '最长可启用 {max} 分钟。',
  },
  emergency_active: {
    en: 'This emergency access is already open until {until}.',
    zh: '该访问已启用，有效期至 {until}。',
  },
  emergency_too_many: {
    en: 'You have {max} emergency accesses open. End one of them first.',
    zh: '您已启用 {max} 个紧急访问，请先结束其中一个。',
  },
  emergency_no_reviewer: {
    en: 'You are the only available reviewer. Ask an administrator to add a reviewer who can sign in.',
    zh: '目前除您本人外没有可用的复核人，请联系管理员指定可以登录的复核人。',
  },
  emergency_reviewer_left: {
    en: 'Reviewers are still available. Ask one of them.',
    zh: '仍有可用的复核人，请联系复核人处理。',
  },
  emergency_needs_review: {
    en: 'Only a review can close this ticket.',
    zh: '该工单须经复核后才能关闭。',
  },
  emergency_not_over: {
    en: 'The access is still open. Review it after it has ended.',
    zh: '访问尚未结束，请在结束后复核。',
  },
  emergency_unopened: {
    en: 'Open the recordings first. You have not opened {count, plural, one {# recording} other {# recordings}}.',
    zh: '请先打开录像：您还有 {count} 个录像未打开。',
  },
  reviewer_cannot_watch: {
    en: 'Reviewers must be administrators or auditors, and able to sign in.',
    zh: '复核人必须是可以登录的管理员或审计员。',
  },
  ticket_kept: { en: 'An answered ticket cannot be deleted.', zh: '已处理的工单不能删除。' },
  ticket_for_others: {
    en: 'Only administrators can open a ticket for another user.',
    zh: '只有管理员可以代他人提交工单。',
  },
} as const satisfies Record<string, LocalText>;
