import { catalogue } from '../../kit/i18n/index.ts';

/** Words of desktops. */
export const words = catalogue({
  tools: { zh: '桌面工具', en: 'Desktop tools' },
  keys: { zh: '发送按键', en: 'Send keys' },
  clipboard: { zh: '剪贴板', en: 'Clipboard' },
  clipboardOff: { zh: '授权不允许传输剪贴板文本', en: 'The permission lets no text pass' },
  fit: { zh: '显示大小', en: 'Size' },
  scale: { zh: '缩放以适应窗口', en: 'Scale to the window' },
  actual: { zh: '实际大小', en: 'Actual size' },
  resize: { zh: '远程桌面随窗口调整', en: 'Resize the desktop to the window' },
  quality: { zh: '画质', en: 'Quality' },
  best: { zh: '最佳画质', en: 'Best picture' },
  balanced: { zh: '均衡', en: 'Balanced' },
  fast: { zh: '低速线路', en: 'Slow line' },
  screenKeyboard: { zh: '屏幕键盘', en: 'On-screen keyboard' },
  typeHere: { zh: '在此输入，内容会发送到桌面', en: 'What you type here goes to the desktop' },
  keysRecorded: { zh: '按键会被录制，包括密码', en: 'Keys are recorded, passwords too' },
  wayOut: { zh: '按 Ctrl+Alt+Shift 可将键盘交还给页面。', en: 'Press Ctrl+Alt+Shift to give the keyboard back to the page.' },
  copied: { zh: '从桌面复制的文本', en: 'Text copied at the desktop' },
  nothingCopied: { zh: '尚未在桌面上复制文本。', en: 'No text has been copied at the desktop yet.' },
  copy: { zh: '复制到本机', en: 'Copy to this computer' },
  toPaste: { zh: '要粘贴到桌面的文本', en: 'Text to paste at the desktop' },
  send: { zh: '发送到桌面剪贴板', en: 'Send to the desktop’s clipboard' },
  sent: { zh: '已发送，请在桌面上粘贴。', en: 'Sent. Paste it at the desktop.' },
  recordingLoading: { zh: '正在读取录像', en: 'Loading the recording' },
});
