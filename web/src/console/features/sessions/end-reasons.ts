import { ERRORS, type ErrorCode, INSTANT_ACCESS_END, type LocalText } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import type { Session } from './session-actions.ts';

/**
 * Texts for auditors. The user at the terminal saw other texts, with details that are not stored,
 * or with “you”.
 */
const REASONS: Readonly<Record<string, LocalText>> = {
  session_terminated: { zh: '被管理员终断', en: 'Ended by an administrator.' },
  session_idle: { zh: '空闲超时', en: 'Idle timeout.' },
  session_too_long: { zh: '达到会话最长时长', en: 'Maximum session duration reached.' },
  session_signed_out: { zh: '用户已退出登录', en: 'The user signed out.' },
  agent_time: { zh: '智能体的命令超时', en: 'The command of the agent took too long.' },
  agent_left: { zh: '智能体断开了连接', en: 'The agent closed the connection.' },
  agent_over: { zh: '智能体的约束期已结束', en: 'The leash of the agent ended.' },
  agent_host: {
    zh: '不在智能体的约束范围内',
    en: 'The leash of the agent does not include this account.',
  },
  session_cluster_token: { zh: 'kubeconfig 已过期', en: 'The time of the kubeconfig ended.' },
  connect_cluster_account: {
    zh: '{host} 不接受系统用户的令牌',
    en: '{host} did not accept the token of the system user.',
  },
  connect_cluster_answer: {
    zh: '{host} 的响应不符合集群 API Server',
    en: '{host} did not answer like the API server of a cluster.',
  },
  connect_cluster_refused: { zh: '集群拒绝了命令', en: 'The cluster refused the command.' },
  connect_cluster_command: {
    zh: '规则要替换的命令不能在 Pod 中替换',
    en: 'A rule replaces the command, and pods cannot run another one.',
  },
  session_left: { zh: '浏览器断开时间过长', en: 'Browser disconnected too long.' },
  session_finished: { zh: '用户结束会话', en: 'Ended by the user.' },
  connect_denied: { zh: '没有连接权限', en: 'The user had no permission to connect.' },
  connect_expired: { zh: '授权已到期', en: 'The permission ended.' },
  [INSTANT_ACCESS_END.code]: INSTANT_ACCESS_END.reason,
  connect_approval_rejected: {
    zh: '审批人拒绝了连接',
    en: 'A reviewer rejected the connection.',
  },
  connect_second_person: {
    zh: '授权要求第二人监看，仅终端支持',
    en: 'A second person must watch, which is possible in terminals only.',
  },
  connect_second_person_nobody: {
    zh: '没有可以监看的审批人',
    en: 'No reviewer could watch.',
  },
  connect_switch_terminal: {
    zh: '该账号须在登录后切换，仅终端支持',
    en: 'Sessions switch to the account after the sign-in, which is possible in terminals only.',
  },
  connect_switch_secret: {
    zh: '没有切换账号所需的密码',
    en: 'A password to sign in or to switch was missing.',
  },
  connect_switch_failed: {
    zh: '登录成功，但切换账号失败',
    en: 'The sign-in succeeded, the switch of the account failed.',
  },
  connect_condition: {
    zh: '不满足授权的访问条件',
    en: 'A condition of the permission did not hold.',
  },
  connect_unreachable: { zh: '无法连接到 {host}', en: '{host} could not be reached.' },
  connect_site_away: {
    zh: '通往 {host} 的站点未连接',
    en: 'The site before {host} was not connected.',
  },
  connect_site_refused: {
    zh: '站点没有连接到 {host}：从该站点无法访问，或站点不允许',
    en: 'The site did not connect to {host}: it could not be reached there, or was not permitted.',
  },
  connect_site_full: {
    zh: '通往 {host} 的站点连接过多',
    en: 'The site before {host} had too many connections.',
  },
  connect_credentials: {
    zh: '{host} 不接受登录凭据',
    en: '{host} did not accept the credentials.',
  },
  connect_charset: {
    zh: '用户名或密码中有服务器编码无法表示的字符',
    en: 'The charset of the server lacks a character of the username or password.',
  },
  connect_serial_line: {
    zh: '{host} 未按要求设置串口',
    en: '{host} did not set its serial line as asked.',
  },
  connect_certificate_expired: {
    zh: '{host} 的证书或其颁发机构的证书已过期',
    en: 'The certificate of {host}, or of its authority, had expired.',
  },
  connect_certificate_early: {
    zh: '{host} 的证书或其颁发机构的证书尚未生效',
    en: 'The certificate of {host}, or of its authority, was not valid yet.',
  },
  connect_protocol: { zh: '该资产不支持此协议', en: 'The asset does not support this protocol.' },
  connect_protocol_error: {
    zh: '{host} 的响应不符合 SSH 协议',
    en: '{host} did not answer like an SSH server.',
  },
  connect_desktop_error: {
    zh: '{host} 的响应不符合桌面协议',
    en: '{host} did not answer like a desktop server.',
  },
  connect_app_program: {
    zh: '程序的路径和参数过长，或包含换行符',
    en: 'The program could not be started: its path and parameters are too long, or contain line breaks.',
  },
  connect_desktop_sign_in: {
    zh: '{host} 未提供可用的认证方式',
    en: '{host} offered no supported sign-in method.',
  },
  connect_database: {
    zh: '{host} 的数据库拒绝了连接',
    en: 'The database {host} refused the connection.',
  },
  connect_database_full: {
    zh: '{host} 的连接数已达上限',
    en: '{host} accepted no more connections.',
  },
  connect_database_starting: {
    zh: '{host} 的数据库尚未就绪',
    en: 'The database {host} was not ready.',
  },
  connect_redis_no_password: {
    zh: '{host} 未设置密码，而系统用户保存了密码',
    en: '{host} has no password, but the system user has one.',
  },
  connect_redis_protected: {
    zh: '{host} 处于保护模式',
    en: '{host} runs in protected mode.',
  },
  connect_redis_silent: {
    zh: '{host} 未作响应即关闭了连接',
    en: '{host} closed the connection without an answer.',
  },
  connect_redis_select: {
    zh: '{host} 拒绝了应用的数据库',
    en: '{host} refused the database of the app.',
  },
  connect_disconnected_words: {
    zh: '{host} 在登录完成前断开了连接，并说明了原因。',
    en: '{host} ended the connection before the account was signed in, and gave a reason.',
  },
  connect_desktop_code: {
    zh: '服务器以没有说明的 RDP 代码结束了会话',
    en: 'The server ended the session with a code of RDP.',
  },
  connect_desktop_words: { zh: '{host} 拒绝了连接', en: '{host} refused the connection.' },
  connect_rdp_negotiation: {
    zh: '{host} 拒绝了连接请求',
    en: '{host} refused the request for a connection.',
  },
  connect_rdp_refused: {
    zh: '{host} 未允许账号登录',
    en: '{host} did not sign the account in.',
  },
  connect_sign_in_closed: {
    zh: '{host} 在登录时关闭了连接，未说明原因',
    en: '{host} closed the connection during the sign-in, without a reason.',
  },
  connect_password_expired: {
    zh: '{host} 要求更换账号密码',
    en: '{host} required a new password for the account.',
  },
  connect_account_disabled: {
    zh: '账号在 {host} 上已禁用',
    en: 'The account was disabled at {host}.',
  },
  connect_account_expired: {
    zh: '账号在 {host} 上已过期',
    en: 'The account had expired at {host}.',
  },
  connect_account_locked: {
    zh: '账号在 {host} 上已锁定',
    en: 'The account was locked at {host}.',
  },
  connect_account_restricted: {
    zh: '{host} 不允许账号在当时、从该处或以该方式登录',
    en: '{host} did not let the account sign in then, from there, or in that way.',
  },
  connect_disconnected: {
    zh: '{host} 在登录完成前断开了连接。',
    en: '{host} ended the connection before the account was signed in.',
  },
  connect_no_commands: {
    zh: '{host} 接受了账号，但不允许执行命令',
    en: '{host} accepted the account and runs no commands for it.',
  },
  connect_no_terminal: {
    zh: '{host} 接受了账号，但未提供终端',
    en: '{host} accepted the account and gives it no terminal.',
  },
  connect_no_channel: {
    zh: '{host} 接受了账号，但拒绝打开会话',
    en: '{host} accepted the account and opens no session for it.',
  },
  connect_certificate_name: {
    zh: '{host} 出示的证书签发给其他名称',
    en: '{host} presented a certificate for other names.',
  },
  connect_plain_password: {
    zh: '{host} 要求在没有 TLS 的连接上以明文发送密码',
    en: '{host} asked for the password in plain text without TLS.',
  },
  database_pooled: {
    zh: '该数据库经由连接池访问，无法保证只读',
    en: 'The database is behind a connection pooler, so read-only access cannot be kept.',
  },
  database_not_read_only: {
    zh: '{host} 拒绝进入只读模式',
    en: '{host} refused the read-only mode.',
  },
  connect_database_missing: {
    zh: '{host} 上没有该名称的数据库',
    en: '{host} has no database with this name.',
  },
  session_limit: {
    zh: '用户打开的会话已达上限',
    en: 'The user had the maximum number of sessions open.',
  },
  session_recording_full: { zh: '录像达到大小上限', en: 'The recording reached its size limit.' },
  session_disk_hanging: {
    zh: '录像磁盘没有响应',
    en: 'The disk of recordings did not answer.',
  },
  session_disk_full: {
    zh: '录像存储空间不足或 inode 已用尽',
    en: 'There was too little space, or no inode, for recordings.',
  },
  session_disk_read_only: { zh: '录像磁盘只读', en: 'The disk of recordings was read-only.' },
  session_check_failed: {
    zh: '堡垒机因内部错误无法检查授权',
    en: 'Sallyport could not check the permission because of an internal error.',
  },
  session_database_away: {
    zh: '堡垒机无法访问数据库',
    en: 'Sallyport could not reach its database.',
  },
  connect_target_disconnected: {
    zh: '服务器断开了连接，并向用户说明了原因；终端会话的录像中也有',
    en: 'The server ended the connection and gave a reason. Its user saw it, and the recording of a terminal has it.',
  },
  interrupted: { zh: '堡垒机意外停止', en: 'Sallyport itself stopped unexpectedly.' },
};

/** The end reason of a session as text; unknown codes of newer servers remain unchanged. */
export function endReason({
  end_reason: code,
  asset,
}: Pick<Session, 'end_reason' | 'asset'>): string {
  if (!code) return '';
  const text =
    REASONS[code] ?? (Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined);
  return text ? t(text, { host: asset }) : code;
}
