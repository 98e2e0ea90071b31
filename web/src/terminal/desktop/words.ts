import { catalogue } from '../../kit/i18n/index.ts';

/** Words of desktops. */
export const words = catalogue({
  tools: { zh: '桌面工具', en: 'Desktop tools' },
  keys: { zh: '发送按键', en: 'Send keys' },
  clipboard: { zh: '剪贴板', en: 'Clipboard' },
  clipboardOff: {
    zh: '您的授权不包含剪贴板文本传输',
    en: 'Your permission does not include clipboard text',
  },
  fit: { zh: '显示大小', en: 'Size' },
  scale: { zh: '缩放以适应窗口', en: 'Scale to the window' },
  actual: { zh: '实际大小', en: 'Actual size' },
  resize: { zh: '远程桌面随窗口调整', en: 'Resize the desktop to the window' },
  quality: { zh: '画质', en: 'Quality' },
  best: { zh: '最佳画质', en: 'Best picture' },
  balanced: { zh: '均衡', en: 'Balanced' },
  fast: { zh: '低速线路', en: 'Slow connection' },
  screenKeyboard: { zh: '输入文字（输入法、手机）', en: 'Type with an input method or a phone' },
  typeHere: { zh: '在此输入，内容会发送到桌面', en: 'Text typed here goes to the desktop' },
  keysRecorded: {
    zh: '按键会被录制，包括密码',
    en: 'Keystrokes are recorded, including passwords',
  },
  wayOut: {
    zh: '按 Ctrl+Alt+Shift 可将键盘交还给页面。',
    en: 'Press Ctrl+Alt+Shift to return the keyboard to the page.',
  },
  copied: { zh: '从桌面复制的文本', en: 'Text copied from the desktop' },
  nothingCopied: {
    zh: '尚未从桌面复制文本。',
    en: 'No text copied from the desktop yet.',
  },
  copy: { zh: '复制到本机', en: 'Copy to this computer' },
  toPaste: { zh: '要粘贴到桌面的文本', en: 'Text to paste on the desktop' },
  send: { zh: '发送到桌面剪贴板', en: 'Send to the desktop’s clipboard' },
  sent: { zh: '已发送，请在桌面上粘贴。', en: 'Sent. Paste the text on the desktop.' },
  typeText: { zh: '作为按键输入', en: 'Type it as keys' },
  unsupportedText: {
    zh: '未发送：此服务器的剪贴板只支持西欧字符，其他字符会丢失。可以改为作为按键输入。',
    en: 'Not sent: the clipboard of this server takes Western European characters only, and would lose others. You can type the text as keys.',
  },
  uncertainText: {
    zh: '已发送。但有些服务器（如 xrdp 0.9）会丢弃含表情符号的整段文本。如果无法粘贴，请作为按键输入。',
    en: 'Sent. Some servers, such as xrdp 0.9, lose a whole text with emoji. If it cannot be pasted, type it as keys.',
  },
  tooLongText: {
    zh: '未发送：文本过长，最多 {max, number} 字节。',
    en: 'Not sent: the text is too long. The maximum is {max, number} bytes.',
  },
  doubtfulText: {
    zh: '问号可能代表此服务器无法传输的字符。',
    en: 'Question marks may stand for characters that this server cannot transfer.',
  },
  files: { zh: '文件', en: 'Files' },
  fromDesktop: { zh: '来自桌面的文件', en: 'Files from the desktop' },
  nothingOffered: {
    zh: '在桌面上复制文件后，会显示在这里。',
    en: 'Copy files on the desktop to see them here.',
  },
  download: { zh: '下载', en: 'Download' },
  downloadAll: { zh: '全部下载（{count, number}）', en: 'Download all ({count, number})' },
  toDesktop: { zh: '发送到桌面的文件', en: 'Files for the desktop' },
  howToPaste: {
    zh: '选择文件或将文件拖到桌面上，然后在桌面上粘贴。粘贴时开始传输。',
    en: 'Choose files or drop them on the desktop, then paste them there. The transfer starts when you paste.',
  },
  chooseFiles: { zh: '选择文件…', en: 'Choose files…' },
  filesOffered: {
    zh: '文件已在桌面的剪贴板中，请在桌面上粘贴。',
    en: 'The files are on the desktop’s clipboard. Paste them on the desktop.',
  },
  dropDenied: {
    zh: '您的授权不包含：上传文件',
    en: 'Your permission does not include: Upload file',
  },
  transfers: { zh: '文件传输', en: 'File transfers' },
  transfersOpen: {
    zh: '{count, number} 个文件未完成',
    en: '{count, plural, one {# file} other {# files}} not complete',
  },
  transfersOver: {
    zh: '{count, number} 个文件已结束',
    en: '{count, plural, one {# file} other {# files}} ended',
  },
  toBePasted: { zh: '等待在桌面上粘贴', en: 'Waiting to be pasted on the desktop' },
  queued: { zh: '等待中', en: 'Waiting' },
  done: { zh: '已完成', en: 'Done' },
  cancelled: { zh: '已取消', en: 'Canceled' },
  progressOf: { zh: '{name} 的进度', en: 'Progress of {name}' },
  clearEnded: { zh: '清除已结束的传输', en: 'Clear ended transfers' },
  moreFiles: {
    zh: '另有 {count, number} 个文件',
    en: '{count, plural, one {# more file} other {# more files}}',
  },
  tooMany: { zh: '一次最多 {max, number} 个文件', en: 'At most {max, number} files at a time' },
  tooLarge: { zh: '不支持传输大于 2 GiB 的文件', en: 'Files larger than 2 GiB are not supported' },
  notOffered: {
    zh: '已不在桌面的剪贴板中，请在桌面上重新复制',
    en: 'No longer on the clipboard of the desktop. Copy it there again.',
  },
  notRead: {
    zh: '无法从桌面读取，请在桌面上重新复制',
    en: 'The desktop could not read the file. Copy it there again.',
  },
  fileChanged: {
    zh: '无法读取该文件，可能已被修改',
    en: 'The file could not be read. It may have changed.',
  },
  uploadEnded: { zh: '上传文件的授权已结束', en: 'Your permission to upload files has ended' },
  downloadEnded: { zh: '下载文件的授权已结束', en: 'Your permission to download files has ended' },
  sessionEnded: { zh: '会话已结束', en: 'The session has ended' },
  drive: { zh: '驱动器', en: 'Drive' },
  driveHint: {
    zh: '桌面将此文件夹显示为驱动器“bastion”，会话结束时删除。',
    en: 'The desktop shows this folder as the drive “bastion”. It is deleted when the session ends.',
  },
  driveUsed: { zh: '已用 {used}，共 {max}', en: '{used} of {max} used' },
  driveUp: { zh: '离开文件夹“{path}”', en: 'Leave the folder “{path}”' },
  driveEmpty: { zh: '没有文件。', en: 'No files.' },
  driveUpload: { zh: '上传文件…', en: 'Upload files…' },
  recordingLoading: { zh: '正在读取录像', en: 'Loading the recording' },
});
