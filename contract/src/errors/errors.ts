import { FEATURE_ERRORS } from '../features/features.ts';
import type { LocalText, TextParams } from '../kit/text.ts';
import { AGENT_ERRORS } from './agent-errors.ts';
import { CERTIFICATE_ERRORS } from './certificate-errors.ts';
import { CLUSTER_ERRORS } from './cluster-errors.ts';
import { CONNECTION_ERRORS } from './connection-errors.ts';
import { FIELD_ERRORS } from './field-errors.ts';
import { FILE_ERRORS } from './file-errors.ts';
import { KEY_ERRORS } from './key-errors.ts';
import { RESOURCE_ERRORS } from './resource-errors.ts';
import { SESSION_ERRORS } from './session-errors.ts';
import { SIGN_IN_ERRORS } from './sign-in-errors.ts';
import { SITE_ERRORS } from './site-errors.ts';
import { SOURCE_ERRORS } from './source-errors.ts';
import { STATEMENT_ERRORS } from './statement-errors.ts';
import { TARGET_ERRORS } from './target-errors.ts';
import { TICKET_ERRORS } from './ticket-errors.ts';

/**
 * All errors of the server by code. Codes are stable and never reused: clients branch on them,
 * users read the texts. The throwing code fills the `{name}` placeholders.
 */
export const ERRORS = {
  ...FIELD_ERRORS,
  ...SIGN_IN_ERRORS,
  ...SOURCE_ERRORS,
  ...CERTIFICATE_ERRORS,
  ...CONNECTION_ERRORS,
  ...FILE_ERRORS,
  ...KEY_ERRORS,
  ...SESSION_ERRORS,
  ...STATEMENT_ERRORS,
  ...TICKET_ERRORS,
  ...AGENT_ERRORS,
  ...CLUSTER_ERRORS,
  ...SITE_ERRORS,
  ...FEATURE_ERRORS,
  // Requests.
  not_authenticated: { en: 'Sign in to continue.', zh: '请先登录。' },
  permission_denied: {
    en: 'You do not have permission to do this. It needs the role {needed}.',
    zh: '您没有权限执行此操作：需要{needed}权限。',
  },
  csrf_failed: {
    en: 'CSRF Failed: reload the page and try again.',
    zh: 'CSRF 验证失败：请刷新页面后重试。',
  },
  origin_refused: {
    en: 'This request came from another site and was refused.',
    zh: '该请求来自其他站点，已被拒绝。',
  },
  not_found: { en: 'Not found.', zh: '未找到。' },
  method_not_allowed: {
    en: 'Method {method} is not allowed here.',
    zh: '此处不允许使用 {method} 方法。',
  },
  only_reads: {
    en: 'This address only reads. Use version 2.1 to change objects: {path}',
    zh: '此地址只供读取。修改对象请使用 2.1 版接口：{path}',
  },
  malformed_request: { en: 'The request is not valid HTTP.', zh: '请求不是有效的 HTTP 请求。' },
  host_refused: {
    en: 'This server does not answer to the name {host}.',
    zh: '本服务器不以名称 {host} 提供服务。',
  },
  malformed_csv: {
    en: 'The file is not valid CSV. Check line {line}.',
    zh: '文件不是有效的 CSV：请检查第 {line} 行。',
  },
  unknown_column: {
    en: 'Unknown column "{column}". Use the header from the template.',
    zh: '没有名为“{column}”的列，请使用模板中的表头。',
  },
  too_many_columns: {
    en: 'The file has more than {max} columns. Check line {line}.',
    zh: '文件超过 {max} 列：请检查第 {line} 行。',
  },
  cell_too_long: {
    en: 'A cell of the file has more than {max} characters. Check line {line}.',
    zh: '单元格超过 {max} 个字符：请检查第 {line} 行。',
  },
  too_many_cells: {
    en: 'The file has more than {max} cells. Split it into smaller files.',
    zh: '文件超过 {max} 个单元格，请拆分后再导入。',
  },
  too_deep: { en: 'The body is nested too deeply.', zh: '请求体嵌套层级过深。' },
  digest_mismatch: { en: 'The body does not match its digest.', zh: '请求体与其摘要不一致。' },
  digest_unknown: {
    en: 'The body digest must use sha-256 or sha-512.',
    zh: '请求体摘要必须使用 sha-256 或 sha-512。',
  },
  unsupported_media_type: {
    en: 'Send the body as application/json.',
    zh: '请使用 application/json 发送请求体。',
  },
  body_too_large: { en: 'The body is larger than {max} bytes.', zh: '请求体超过 {max} 字节。' },
  invalid: { en: 'The request contains invalid values.', zh: '提交的内容无效。' },
  conflict: {
    en: 'Another user changed this in the meantime. Reload and try again.',
    zh: '该对象已被其他人修改，请刷新后重试。',
  },
  in_use: {
    en: 'This is still used by {what} and cannot be deleted.',
    zh: '仍被{what}使用，无法删除。',
  },
  no_preset_to_undo: {
    en: 'No compliance preset can be undone.',
    zh: '没有可撤销的合规预设。',
  },
  backup_running: {
    en: 'A backup is already waiting or running.',
    zh: '备份正在等待或进行中。',
  },
  drill_running: {
    en: 'A restore drill is already waiting or running.',
    zh: '恢复演练正在等待或进行中。',
  },
  too_many_requests: {
    en: 'Too many requests. Try again in {seconds, plural, one {# second} other {# seconds}}.',
    zh: '请求过于频繁，请在 {seconds} 秒后重试。',
  },
  timeout: { en: 'The request took too long and was stopped.', zh: '请求超时，已终止。' },
  internal: { en: 'Server internal error', zh: '服务器内部错误' },
  busy: { en: 'The server is busy. Try again in a moment.', zh: '服务器繁忙，请稍后重试。' },
  server_disk_full: {
    en: 'The disk of the server is full: no space or no inode is left. Nothing can be saved until an administrator makes room.',
    zh: '服务器磁盘已满：空间或 inode 已用尽。在管理员清理空间之前无法保存任何内容。',
  },
  server_read_only: {
    en: 'The disk or the database of the server is read-only. Nothing can be saved until an administrator changes that.',
    zh: '服务器的磁盘或数据库处于只读状态，在管理员恢复之前无法保存任何内容。',
  },
  server_disk_failing: {
    en: 'The disk of the server or of its database fails. Nothing can be saved until an administrator repairs it.',
    zh: '服务器或数据库的磁盘发生故障，在管理员修复之前无法保存任何内容。',
  },
  server_resources: {
    en: 'The server has no memory, files or database connections left. Try again in a moment, or contact an administrator.',
    zh: '服务器的内存、文件或数据库连接已用尽，请稍后重试，或联系管理员。',
  },
  database_replaced: {
    en: 'Another database has taken over, and the server has not compared its logs yet. Try again in a minute; without a running server, start it first.',
    zh: '数据库刚发生切换，服务器尚未核对日志。请一分钟后重试；若服务器未运行，请先启动。',
  },
  storage_unavailable: {
    en: 'The storage of recordings does not answer, or refuses access. Try again later, or contact an administrator.',
    zh: '录像存储没有响应或拒绝访问，请稍后重试，或联系管理员。',
  },
  database_away: {
    en: 'The server cannot reach its database. Try again in a moment, or contact an administrator.',
    zh: '服务器无法访问数据库，请稍后重试，或联系管理员。',
  },
  unavailable: {
    en: 'The service is starting or stopping. Try again shortly.',
    zh: '服务正在启动或停止，请稍后重试。',
  },

  // Jobs.
  job_not_cancelable: {
    en: 'This job has already ended and cannot be canceled.',
    zh: '该任务已结束，无法取消。',
  },
  job_not_retryable: { en: 'This job cannot be run again.', zh: '该任务无法重新运行。' },
  job_access: { en: 'You may not start this job.', zh: '您无权启动该任务。' },
  job_exists: { en: 'Another job already has this id.', zh: '该 ID 已被其他任务使用。' },
  job_canceled: {
    en: 'The job was canceled. Nothing was changed.',
    zh: '任务已取消，未更改任何数据。',
  },
  job_abandoned: {
    en: 'The job stopped because the request that started it ended.',
    zh: '发起该任务的请求已中断，任务已停止。',
  },
  job_timeout: { en: 'The job took too long and was stopped.', zh: '任务运行时间过长，已停止。' },
  job_interrupted: {
    en: 'The server stopped while the job was running.',
    zh: '服务器停止运行，任务已中断。',
  },

  // Fields.
  unknown_set: {
    en: 'This selection is unknown or has expired. Select the rows again.',
    zh: '该选择集不存在或已过期，请重新选择。',
  },
  too_many_matches: {
    en: 'Name the objects to delete with ids or a selection (spm).',
    zh: '请通过 ids 或选择集（spm）指定要删除的对象。',
  },
  not_public_key: { en: 'This is not a valid SSH public key.', zh: '这不是有效的 SSH 公钥。' },
  not_unique: { en: 'This field must be unique.', zh: '该字段的值必须唯一。' },
  auditor_in_group: {
    en: '{name} is an auditor. Auditors cannot be in user groups.',
    zh: '{name} 是审计员，审计员不能加入用户组。',
  },
  unknown_object: {
    en: 'Invalid pk "{value}" - object does not exist.',
    zh: '无效的主键 “{value}” —— 对象不存在。',
  },
  unknown_name: {
    en: 'No {what} is named “{value}”. Existing names: {names}',
    zh: '没有名为“{value}”的{what}。现有：{names}',
  },
  unknown_name_none: {
    en: 'No {what} is named “{value}”. None exist yet.',
    zh: '没有名为“{value}”的{what}，目前一个也没有。',
  },
  ambiguous_name: {
    en: 'More than one {what} is named “{value}”. Use the ID instead.',
    zh: '名为“{value}”的{what}不止一个，请改填其 ID。',
  },
  too_many_new: {
    en: 'A file may create at most {max, number} nodes.',
    zh: '一个文件最多可新建 {max, number} 个节点。',
  },
  date_order: { en: 'The end must be later than the start.', zh: '结束时间必须晚于开始时间。' },

  // Files.
  malformed_form: { en: 'The uploaded form cannot be read.', zh: '无法读取上传的表单。' },
  file_missing: { en: 'Choose a file.', zh: '请选择文件。' },
  file_too_large: { en: 'The file is larger than {max} bytes.', zh: '文件超过 {max} 字节。' },
  not_picture: { en: 'This is not a {kinds} picture.', zh: '这不是 {kinds} 图片。' },
  unsafe_picture: {
    en: 'This SVG contains more than a drawing ({what}), so it was refused.',
    zh: '该 SVG 包含绘图以外的内容（{what}），已被拒绝。',
  },
  heavy_picture: {
    en: 'This SVG refers to itself too often. Simplify it and try again.',
    zh: '该 SVG 重复引用自身内容过多，请简化后重试。',
  },
  license_unreadable: { en: 'This is not a license file.', zh: '这不是许可证文件。' },
  license_signature: {
    en: 'The signature of the license does not match this installation.',
    zh: '许可证签名与本系统不匹配。',
  },
  license_expired: { en: 'This license expired on {date}.', zh: '该许可证已于 {date} 过期。' },
  license_key_configured: {
    en: 'SALLYPORT_LICENSE_PUBLIC_KEY sets the key that verifies licenses, and this server has no matching private key. Import a license signed with that key.',
    zh: 'SALLYPORT_LICENSE_PUBLIC_KEY 指定了校验许可证的公钥，而本服务器没有对应的私钥。请导入该密钥签发的许可证。',
  },
  license_key_elsewhere: {
    en: 'The key that signs the licenses of this installation (license.key) is on another server. Issue the license there, or restore the file.',
    zh: '用于签发许可证的密钥（license.key）位于另一台服务器。请在该服务器上签发，或恢复该文件。',
  },
  license_missing: { en: 'There is no license to remove.', zh: '没有可移除的许可证。' },
  license_no_key: {
    en: 'This installation has no public key to verify licenses. Issue a license with the command "license issue", or set SALLYPORT_LICENSE_PUBLIC_KEY.',
    zh: '本系统没有用于校验许可证的公钥。请使用命令“license issue”签发，或设置 SALLYPORT_LICENSE_PUBLIC_KEY。',
  },
  ...RESOURCE_ERRORS,
  ...TARGET_ERRORS,
} as const satisfies Record<string, LocalText>;

export type ErrorCode = keyof typeof ERRORS;

export type ErrorParams = TextParams;

/** An error before it is translated. */
export interface Problem<Code extends ErrorCode = ErrorCode> {
  readonly code: Code;
  readonly params?: ErrorParams;
}

/** Problems by field; `non_field_errors` holds problems of several fields. */
export type FieldProblems = Readonly<Record<string, readonly Problem[]>>;
