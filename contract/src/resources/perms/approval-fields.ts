import { boolean, integer, many } from '../../kit/field.ts';

/** Longest validity of an approved connection, in minutes. */
const APPROVAL_MINUTES_MAX = 1440;

/** Characters of the reason that a user gives for a connection. */
export const APPROVAL_REASON_MAX = 500;

/** A reviewer who watches each terminal by a permission. */
export const watcherFields = () => ({
  needs_watcher: boolean({
    label: { en: 'A reviewer must watch', zh: '须有审批人监看' },
    help: {
      en: 'Terminals pass input only while a reviewer with the right to watch sessions does so; files, single commands, port forwarding, batch commands and desktops are refused',
      zh: '仅在有监控权限的审批人监看期间，终端输入才会发送；文件、单条命令、端口转发、批量命令和远程桌面均被拒绝',
    },
    required: false,
    defaultValue: false,
    filter: true,
  }),
});

/** Maximum stages of an approval. */
export const APPROVAL_STAGES_MAX = 3;

/** The reviewers of a later stage. */
const laterReviewers = (stage: number) =>
  many({
    label: { en: `Reviewers of stage ${stage}`, zh: `第 ${stage} 级审批人` },
    help: {
      en: 'A user decides only one stage of a connection',
      zh: '同一用户不能审批同一连接的两级',
    },
    to: 'user',
    required: false,
  });
const laterGroups = (stage: number) =>
  many({
    label: { en: `Groups of stage ${stage}`, zh: `第 ${stage} 级审批组` },
    to: 'user_group',
    required: false,
  });

/** Reviewers who decide on each connection by a permission. */
export const approvalFields = () => ({
  needs_approval: boolean({
    label: { en: 'Each connection needs approval', zh: '每次连接须审批' },
    help: {
      en: 'A reviewer decides before the connection opens; without a decision it is refused',
      zh: '连接前须由审批人批准，超时视为拒绝',
    },
    required: false,
    defaultValue: false,
    filter: true,
  }),
  approval_minutes: integer({
    label: { en: 'Approval valid for (minutes)', zh: '审批有效期（分钟）' },
    unit: { en: 'minutes', zh: '分钟' },
    help: {
      en: 'Further connections in this time need no approval; 0: one connection',
      zh: '该时间内再次连接无须审批；0 表示仅限一次连接',
    },
    min: 0,
    max: APPROVAL_MINUTES_MAX,
    defaultValue: 0,
  }),
  approvers: many({
    label: { en: 'Reviewers of connections', zh: '连接审批人' },
    help: {
      en: 'Without reviewers and groups: the administrators of the organization. Users never review their own connections',
      zh: '审批人和审批组均不选时由组织管理员审批；用户不能审批自己的连接',
    },
    to: 'user',
    required: false,
  }),
  approver_groups: many({
    label: { en: 'Groups that review connections', zh: '连接审批组' },
    help: {
      en: 'The members at that time. If none can sign in and no reviewer is named, connections are refused',
      zh: '以当时的成员为准；无可登录的成员且未指定审批人时，连接将被拒绝',
    },
    to: 'user_group',
    required: false,
  }),
  approval_stages: integer({
    label: { en: 'Stages of the approval', zh: '审批级数' },
    help: {
      en: 'The next stage is asked when the one before has approved; a rejection ends the request',
      zh: '上一级同意后才询问下一级；任何一级拒绝即结束',
    },
    min: 1,
    max: APPROVAL_STAGES_MAX,
    defaultValue: 1,
  }),
  second_approvers: laterReviewers(2),
  second_approver_groups: laterGroups(2),
  third_approvers: laterReviewers(3),
  third_approver_groups: laterGroups(3),
});
