import { FEATURE_NEWS } from '../../features/features.ts';
import { boolean, choice, createdAt, id, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';

/** Kinds of notifications. */
export const NOTIFICATION_KINDS = [
  { value: 'ticket_asked', label: { en: 'Request', zh: '申请' } },
  { value: 'ticket_approved', label: { en: 'Approval', zh: '已同意' } },
  { value: 'ticket_rejected', label: { en: 'Rejection', zh: '已拒绝' } },
  { value: 'ticket_closed', label: { en: 'Closed ticket', zh: '工单关闭' } },
  ...FEATURE_NEWS,
  { value: 'second_person_asked', label: { en: 'Session that waits', zh: '等待监看' } },
  { value: 'change_proposed', label: { en: 'Change set to decide', zh: '待审批变更' } },
  { value: 'change_applied', label: { en: 'Approved change set', zh: '变更已生效' } },
  { value: 'change_rejected', label: { en: 'Rejected change set', zh: '变更已驳回' } },
  { value: 'change_emergency', label: { en: 'Change to review', zh: '待复核变更' } },
  { value: 'access_ends', label: { en: 'Access ends soon', zh: '访问即将到期' } },
  { value: 'access_ended', label: { en: 'Ended access', zh: '访问已结束' } },
  { value: 'own_new_network', label: { en: 'Sign-in from a new network', zh: '新网络登录' } },
  { value: 'alert_new_network', label: { en: 'Alert: new network', zh: '告警：新网络' } },
  { value: 'alert_new_country', label: { en: 'Alert: new country', zh: '告警：新国家' } },
  { value: 'alert_unusual_hour', label: { en: 'Alert: unusual hour', zh: '告警：异常时段' } },
  { value: 'alert_first_use', label: { en: 'Alert: first use', zh: '告警：首次使用' } },
  { value: 'alert_many_denials', label: { en: 'Alert: denials', zh: '告警：多次被拒绝' } },
  {
    value: 'alert_recovered',
    label: { en: 'Alert: reset on the server', zh: '告警：服务器上重置' },
  },
  { value: 'alert_lost_changes', label: { en: 'Alert: lost changes', zh: '告警：变更丢失' } },
  { value: 'alert_reused_token', label: { en: 'Alert: reused token', zh: '告警：令牌重复使用' } },
  { value: 'job_failed', label: { en: 'Failed job', zh: '任务失败' } },
] as const;

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]['value'];

/** News for its user alone: what happened to which object. POST read/ marks them as read. */
export const notification = defineResource({
  name: 'notification',
  path: 'users/notifications',
  area: 'own',
  scope: 'own',
  title: { en: 'Notification', zh: '通知' },
  access: { read: Permission.USE },
  labelField: 'subject',
  defaultOrder: ['-date_created', 'id'],
  audited: false,
  fields: {
    id: id(),
    kind: choice({
      label: { en: 'Kind', zh: '类别' },
      choices: NOTIFICATION_KINDS,
      readOnly: true,
      filter: true,
      order: true,
    }),
    subject: text({
      label: { en: 'Subject', zh: '对象' },
      max: 256,
      readOnly: true,
      search: true,
      order: true,
    }),
    by_name: text({
      label: { en: 'By', zh: '操作者' },
      max: 260,
      readOnly: true,
      search: true,
      order: true,
    }),
    resource: text({ label: { en: 'Resource', zh: '资源' }, max: 64, readOnly: true }),
    resource_id: text({ label: { en: 'Id', zh: '编号' }, max: 64, readOnly: true }),
    org_id: text({ label: { en: 'Organization', zh: '组织' }, max: 36, readOnly: true }),
    is_read: boolean({ label: { en: 'Read', zh: '已读' }, readOnly: true, filter: true }),
    date_created: createdAt(),
  },
});
