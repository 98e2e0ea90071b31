import type { LocalText } from '../kit/text.ts';
import { RESOURCES } from '../resources/index.ts';

/** A kind of object in the operate log: stored by its name, shown by its title. */
export interface AuditKind {
  readonly name: string;
  readonly title: LocalText;
}

/** All kinds of objects in the operate log. */
export const AUDIT_KINDS: readonly AuditKind[] = [
  ...RESOURCES.filter(({ audited, name }) => audited || name === 'session').map(
    ({ name, title }) => ({ name, title }),
  ),
  { name: 'session_invitation', title: { en: 'Session invitation', zh: '会话邀请' } },
  { name: 'ssh_certificate', title: { en: 'SSH certificate', zh: 'SSH 证书' } },
  { name: 'host_key', title: { en: 'Host key', zh: '主机密钥' } },
  { name: 'data_key', title: { en: 'Secret key', zh: '密钥' } },
  { name: 'locked_address', title: { en: 'Locked address', zh: '被锁定的地址' } },
  { name: 'audit_log', title: { en: 'Audit log', zh: '审计日志' } },
  { name: 'lost_change', title: { en: 'Lost change', zh: '丢失的变更' } },
  { name: 'password', title: { en: 'Password', zh: '密码' } },
  { name: 'alert', title: { en: 'Alert', zh: '告警' } },
  { name: 'setting', title: { en: 'Setting', zh: '系统设置' } },
  { name: 'backup', title: { en: 'Backup', zh: '备份' } },
  { name: 'change_set', title: { en: 'Change set', zh: '变更' } },
  { name: 'change_control', title: { en: 'Change control', zh: '变更控制' } },
  { name: 'license', title: { en: 'License', zh: '许可证' } },
  { name: 'interface', title: { en: 'Interface', zh: '界面设置' } },
  { name: 'favorite_asset', title: { en: 'Favorite asset', zh: '收藏资产' } },
];

/** The audit logs with digest chains. */
export const CHAINED_LOGS = [
  'operate_log',
  'login_log',
  'password_change_log',
  'ftp_log',
  'session_digest',
] as const;

export type ChainedLog = (typeof CHAINED_LOGS)[number];

/** Labels of logged fields that no resource declares. */
export const AUDIT_FIELDS: Readonly<Record<string, LocalText>> = {
  features_off: { en: 'Features that are off', zh: '已关闭的功能' },
  COMPLIANCE_PRESET: { en: 'Compliance preset', zh: '合规预设' },
  certificate_key_id: { en: 'Certificate key ID', zh: '证书密钥 ID' },
  fingerprint: { en: 'Fingerprint', zh: '指纹' },
  assets_add: { en: 'Assets added', zh: '添加的资产' },
  assets_remove: { en: 'Assets removed', zh: '移除的资产' },
  assets_replace: { en: 'Assets moved here', zh: '移入的资产' },
  login_blocked: { en: 'Locked', zh: '登录锁定' },
  login_confirm_reviewers: { en: 'Reviewers of sign-ins', zh: '登录复核人' },
  accepted_notice: {
    en: 'Accepted text before sign-in (version)',
    zh: '已接受的登录前提示（版本）',
  },
  totp: { en: 'Authenticator', zh: '身份验证器' },
  passkeys: { en: 'Passkeys', zh: '通行密钥' },
  passkey: { en: 'Passkey', zh: '通行密钥' },
  sign_ins: { en: 'Signed-in devices', zh: '已登录设备' },
  device: { en: 'Device', zh: '设备' },
  password_link: { en: 'Link to a new password', zh: '重置密码链接' },
  access_keys: { en: 'API keys', zh: 'API Key' },
  reason: { en: 'Reason', zh: '原因' },
  may_type: { en: 'May type', zh: '可以输入' },
  for_username: { en: 'For the user', zh: '邀请的用户' },
  minutes: { en: 'Minutes', zh: '分钟' },
  guest: { en: 'Guest', zh: '访客' },
  client_password: { en: 'Password for a client', zh: '客户端密码' },
  offboarding: { en: 'Offboarding', zh: '离职处理' },
  sessions: { en: 'Live sessions', zh: '在线会话' },
  left_groups: { en: 'Left the groups', zh: '退出的用户组' },
  left_permissions: { en: 'Left the permissions', zh: '退出的授权' },
  recovery_codes: { en: 'Recovery codes', zh: '恢复码' },
  license: { en: 'License', zh: '许可证' },
  login_title: { en: 'Title of the sign-in page', zh: '登录页标题' },
  logo_index: { en: 'Logo of the sidebar', zh: '导航栏 Logo' },
  logo_logout: { en: 'Logo of the sign-in page', zh: '登录页 Logo' },
  login_image: { en: 'Picture of the sign-in page', zh: '登录页图片' },
  forgotten: { en: 'Sealed values removed', zh: '已删除的密封值' },
  key_state: { en: 'Data keys', zh: '数据密钥' },
  resealed: { en: 'Values sealed again', zh: '重新密封的值' },
  removed_rows: { en: 'Rows removed', zh: '清理的行' },
  removed_until: { en: 'Removed entries up to', zh: '清理截至' },
  removed_sequence: { en: 'Last removed row', zh: '最后清理的行号' },
  removed_digest: { en: 'Digest before the first kept row', zh: '首个保留行之前的摘要' },
  restored_backup: { en: 'Restored backup of', zh: '恢复的备份时间' },
  restored_operate_log: { en: 'Last row of the operate log', zh: '操作日志最后一行' },
  restored_login_log: { en: 'Last row of the sign-in log', zh: '登录日志最后一行' },
  restored_password_change_log: {
    en: 'Last row of the password change log',
    zh: '改密日志最后一行',
  },
  restored_ftp_log: { en: 'Last row of the file transfer log', zh: '文件传输日志最后一行' },
  restored_session_digest: { en: 'Last digest of a session', zh: '会话摘要最后一行' },
  database_instance: { en: 'Database', zh: '数据库' },
  failover_operate_log: { en: 'Last row of the operate log', zh: '操作日志最后一行' },
  failover_login_log: { en: 'Last row of the sign-in log', zh: '登录日志最后一行' },
  failover_password_change_log: { en: 'Last row of the password log', zh: '改密日志最后一行' },
  failover_ftp_log: { en: 'Last row of the file log', zh: '文件日志最后一行' },
  failover_session_digest: { en: 'Last digest of a session', zh: '会话摘要最后一行' },
  dropped_events: { en: 'Events not sent again', zh: '不再重发的事件' },
  repaired_rows: { en: 'Digests written too early', zh: '过早写入的摘要' },
  repaired_sessions: { en: 'Sessions of these digests', zh: '相关会话' },
  favicon: { en: 'Browser icon', zh: '浏览器图标' },
};

/**
 * Days after which a verification of the audit logs is stale; the server verifies them every night.
 */
export const VERIFICATION_DAYS = 3;

/** GET audits/verification/: the result of the last verification of the audit logs. */
export interface AuditVerification {
  /** Null if the logs were never verified. */
  readonly date: string | null;
  readonly intact: boolean;
  /** Name of the requester; empty if the server started it. */
  readonly by: string;
}

/** The answer of GET audits/witness/. */
export interface AuditWitness {
  /** False without an outside witness in the configuration. */
  readonly configured: boolean;
  /** Time in the newest token, and the name of its authority. */
  readonly date: string | null;
  readonly authority: string;
  /** Statements that wait for a token, and why the last request failed. */
  readonly waiting: number;
  readonly missing: boolean;
  readonly problem: string;
}

/** The answer of GET audits/evidence/preview/. */
export interface EvidencePreview {
  /** Number of sessions in the evidence of the period. */
  readonly sessions: number;
}
