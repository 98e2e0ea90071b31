import type { LocalText } from '../kit/text.ts';

/** Errors of change control. */
export const CHANGE_ERRORS = {
  controlled_colleague: {
    en: 'Change control is on: administrators and auditors change their username, email, source, password, keys and second factors themselves. An operator recovers a lost account on the server.',
    zh: '已启用变更控制：管理员和审计员的用户名、邮箱、来源、密码、密钥和双重认证只能由本人修改。运维人员可在服务器上恢复该账号。',
  },
  change_must_be_proposed: {
    en: 'A second administrator decides on such changes. Change the objects one by one in their forms, where the console proposes each change, or propose up to 50 at once by the API (POST /api/v1/change-sets/).',
    zh: '此类变更须由另一名管理员审批。请在各对象的表单中逐个修改并提交变更申请，或通过 API（POST /api/v1/change-sets/）一次提交至多 50 项变更。',
  },
  restore_needs: {
    en: '{what} "{name}" no longer exists. Without it the object would allow more, so it is not restored.',
    zh: '{what}“{name}”已不存在。缺少它会放宽限制，因此无法恢复。',
  },
  restore_unreadable: {
    en: 'The kept object cannot be opened: its key is lost, or it was changed. Create it again.',
    zh: '无法读取已保留的对象：密钥丢失或内容被更改，请重新创建。',
  },
  restore_incomplete: {
    en: 'A part of it refers to an object that no longer exists: {what}. Without it the object would allow more, so it is not restored.',
    zh: '其中一部分引用了已不存在的对象：{what}。缺少它会放宽限制，因此无法恢复。',
  },
  scim_token_controlled: {
    en: 'Change control of the default organization is on. The token is shown once to one administrator, so no second one can decide on it. Switch the control off by a change set, make the token, and switch it on again.',
    zh: '默认组织已启用变更控制。令牌只向一名管理员显示一次，无法由另一名管理员审批。请先通过变更申请关闭变更控制，创建令牌后再启用。',
  },
  change_set_own: {
    en: 'Another administrator must decide on your change set, and review it.',
    zh: '您提交的变更须由另一名管理员审批和复核。',
  },
  change_set_other_duty: {
    en: 'These settings decide who a user is. An administrator with another duty than the proposer must approve the change set.',
    zh: '这些设置决定用户身份的认定，须由与申请人职责不同的管理员审批。',
  },
  change_set_not_own: {
    en: 'Only the administrator who proposed a change set can withdraw it or apply it at once. Before its time the one who approved it can withdraw it, too.',
    zh: '只有提交变更的管理员可以撤回或立即生效；计划时间之前，批准人也可以撤回。',
  },
  change_set_requester: {
    en: 'You asked for this access, so two other administrators decide.',
    zh: '这是您申请的访问权限，须由另外两名管理员审批。',
  },
  request_needs_second: {
    en: 'A second administrator decides on this request. Approve it on its page, or at the approve/ address of the request.',
    zh: '此申请须由另一名管理员审批。请在申请页面批准，或调用该申请的 approve/ 接口。',
  },
  request_waits: {
    en: '{who} has approved this request. Another administrator decides on the change set.',
    zh: '{who} 已批准此申请，等待另一名管理员审批变更。',
  },
  request_ended: {
    en: 'The access request was answered or closed. Propose the permission itself.',
    zh: '该访问申请已处理或关闭，请直接提交授权变更。',
  },
  request_over: {
    en: 'The requested access would already have ended. Reject it.',
    zh: '所申请的访问已到期，请驳回。',
  },
  request_no_second: {
    en: 'No other administrator of this organization can decide on this request.',
    zh: '本组织没有其他管理员可以审批此申请。',
  },
  change_set_decided: {
    en: 'This change set was already decided.',
    zh: '该变更已有审批结果。',
  },
  change_set_no_break_glass: {
    en: 'This change set cannot be applied without a second administrator.',
    zh: '该变更不能在没有另一名管理员审批的情况下生效。',
  },
  change_set_not_reviewed: {
    en: 'Only changes that were applied at once are reviewed, and only once.',
    zh: '只有立即生效的变更需要复核，且只能复核一次。',
  },
  change_set_expired: {
    en: 'This change set has expired. Propose it again.',
    zh: '该变更申请已过期，请重新提交。',
  },
  change_set_stale: {
    en: '{name} changed since the proposal. Propose the change again.',
    zh: '{name} 在提交变更后已被修改，请重新提交。',
  },
  change_set_consequences: {
    en: 'Other users would gain or lose access than when the change was proposed. Read the consequences again before you decide.',
    zh: '该变更影响的访问权限与提交时不同，请重新查看后再审批。',
  },
  change_set_proposer: {
    en: 'The administrator who proposed this may no longer make the change. Reject it.',
    zh: '提交人已无权进行该变更，请驳回。',
  },
  change_set_not_undone: {
    en: 'Only applied changes can be undone, for {days} days.',
    zh: '只能撤销已生效的变更，期限为 {days} 天。',
  },
  change_set_time: {
    en: 'Choose a time in the next {max} days.',
    zh: '请选择未来 {max} 天内的时间。',
  },
  change_set_refused: {
    en: 'The server refused a change, because other objects changed. Propose it again.',
    zh: '其他对象已变更，服务器拒绝了其中的变更，请重新提交。',
  },
  change_set_other_access: {
    en: 'Changed meanwhile: other users would gain or lose access than when the change was approved. Propose it again.',
    zh: '期间已变更：影响的访问权限与批准时不同，请重新提交。',
  },
  change_set_none: {
    en: 'Name at least one change.',
    zh: '请至少指定一项变更。',
  },
  change_set_settings: {
    en: 'Settings and roles belong to the default organization. Choose it, and propose the change there.',
    zh: '系统设置和角色属于默认组织。请切换到默认组织后提交变更申请。',
  },
  change_set_not_controlled: {
    en: 'This organization does not control changes. Save the change directly.',
    zh: '本组织未启用变更控制，请直接保存。',
  },
  change_sets_too_many: {
    en: 'At most {max} change sets can wait for a decision.',
    zh: '待审批的变更最多 {max} 项。',
  },
  change_control_off: {
    en: 'This organization controls changes, and change control is switched off. Ask an operator of the server.',
    zh: '本组织启用了变更控制，但该功能已关闭。请联系服务器运维人员。',
  },
  change_control_alone: {
    en: 'Change control needs a second administrator of this organization.',
    zh: '启用变更控制需要本组织有另一名管理员。',
  },
} as const satisfies Readonly<Record<string, LocalText>>;
