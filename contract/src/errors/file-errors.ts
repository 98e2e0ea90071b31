import type { LocalText } from '../kit/text.ts';

/** Errors of files on targets and of their transfers. */
export const FILE_ERRORS = {
  transfer_unreadable: {
    en: 'The file transfer violated its protocol, so it was ended.',
    zh: '文件传输不符合协议，已终止。',
  },
  files_not_offered: {
    en: '{host} does not offer file transfer (SFTP).',
    zh: '{host} 未提供文件传输（SFTP）。',
  },
  files_text: {
    en: '{host} sent text in place of file transfer (SFTP): “{text}”. Start files of the shell, such as .bashrc, must print nothing without a terminal.',
    zh: '{host} 在文件传输（SFTP）中发送了文本：“{text}”。Shell 的启动文件（如 .bashrc）在没有终端时不能输出任何内容。',
  },
  file_root: {
    en: 'The server has no folder {path}, the file root of this account. An administrator can change the SFTP root of the system user.',
    zh: '服务器上不存在此账号的文件根目录：{path}。管理员可在系统用户的“SFTP 根路径”中设置。',
  },
  file_not_found: { en: 'File or folder not found.', zh: '文件或文件夹不存在。' },
  file_exists: {
    en: 'A file or folder with this name already exists.',
    zh: '已有同名的文件或文件夹。',
  },
  file_denied: {
    en: 'The server does not allow this account to do this.',
    zh: '服务器不允许该账号执行此操作。',
  },
  file_attributes: {
    en: 'The server refused the time or mode of the file. The file itself is complete.',
    zh: '服务器拒绝设置该文件的修改时间或权限；文件本身完整。',
  },
  file_outside: {
    en: 'This path is outside the folder that the account may use.',
    zh: '该路径超出了此账号可使用的目录。',
  },
  file_link_outside: {
    en: 'A link could lead out of the folder that the account may use: by its new place, or by “..” after a name.',
    zh: '该链接在新位置或因名称之后的“..”，可能指向此账号可使用的目录之外。',
  },
  file_name: {
    en: 'The server does not allow this file name or path.',
    zh: '服务器不允许使用该文件名或路径。',
  },
  file_kind: {
    en: 'This action does not work on this type of file.',
    zh: '该类型的文件不支持此操作。',
  },
  file_failed: { en: 'The server could not complete this action.', zh: '服务器未能完成此操作。' },
  file_failed_words: {
    en: 'The server could not complete this action: “{words}”',
    zh: '服务器未能完成此操作：“{words}”',
  },
  file_no_space: {
    en: 'The server has no space left for this account.',
    zh: '服务器没有可供该账号使用的空间。',
  },
  file_limit: {
    en: 'Too many files are open. Close some first.',
    zh: '同时打开的文件过多，请先关闭一些。',
  },
  file_folder_full: {
    en: 'The folder has more than {max} entries.',
    zh: '文件夹中的条目超过 {max} 个。',
  },
  file_stopped: {
    en: 'Stopped before the whole folder was deleted. Deleted files stay deleted.',
    zh: '已停止，文件夹未全部删除；已删除的文件无法恢复。',
  },
  file_size: {
    en: 'The received file does not have the announced size.',
    zh: '收到的文件大小与声明的不一致。',
  },
  file_incomplete: {
    en: 'The transfer ended before the file was complete.',
    zh: '传输中断，文件不完整。',
  },
  files_not_connected: {
    en: 'The file connection is closed. Connect again.',
    zh: '文件连接已断开，请重新连接。',
  },
  file_changed: {
    en: 'The file has changed on the server since it was opened.',
    zh: '文件打开后，服务器上的内容已发生变化。',
  },
  file_not_text: {
    en: 'The file is not text and cannot be shown here.',
    zh: '该文件不是文本，无法在此显示。',
  },
  file_charset: {
    en: 'The text contains characters that {charset} cannot encode.',
    zh: '文本中有 {charset} 无法表示的字符。',
  },
  file_offset: {
    en: 'Continue the upload at byte {offset}.',
    zh: '请从第 {offset} 字节继续上传。',
  },
  file_range: {
    en: 'The file does not contain the requested byte range.',
    zh: '文件没有所请求的字节范围。',
  },
  drive_full: {
    en: 'The drive of this session has no space left, or too many files.',
    zh: '本次会话的驱动器空间不足，或文件过多。',
  },
  drive_not_empty: {
    en: 'The folder is not empty. Delete its files first.',
    zh: '文件夹不为空，请先删除其中的文件。',
  },
  drive_name: {
    en: 'Names on the drive contain none of < > : " / \\ | ? * and no device name of Windows.',
    zh: '驱动器上的名称不能包含 < > : " / \\ | ? *，也不能是 Windows 的设备名。',
  },
  file_chosen: { en: 'Choose between 1 and {max} files.', zh: '请选择 1 到 {max} 个文件。' },
} as const satisfies Readonly<Record<string, LocalText>>;
