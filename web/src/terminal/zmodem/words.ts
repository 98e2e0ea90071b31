import { catalogue } from '../../kit/i18n/index.ts';

/** Words of `rz` and `sz` in a terminal. */
export const words = catalogue({
  title: { zh: '与 {name} 传输文件', en: 'Transfer files with {name}' },
  save: { zh: '保存', en: 'Save' },
  cancel: { zh: '取消传输', en: 'Cancel transfer' },
  saveQuestion: {
    zh: '服务器上的 sz 要发送此文件。保存到此设备？',
    en: 'sz on the server sends this file. Save it on this device?',
  },
  more: {
    zh: '之后还有 {count, number} 个文件。',
    en: '{count, plural, one {# more file follows.} other {# more files follow.}}',
  },
  limit: {
    zh: '此浏览器在传输完成前将文件保留在内存中，最多 {limit}。更大的文件请用文件管理器下载。',
    en: 'This browser keeps the file in memory until it is complete: at most {limit}. Use the file manager for larger files.',
  },
  tooLarge: {
    zh: '文件超过 {limit}，此浏览器无法接收。请用文件管理器下载。',
    en: 'The file is larger than {limit}, which this browser cannot receive. Use the file manager.',
  },
  chooseQuestion: {
    zh: '服务器上的 rz 正在等待文件，将保存到其当前目录。',
    en: 'rz on the server waits for files and saves them in its current folder.',
  },
  choose: { zh: '选择文件…', en: 'Choose files…' },
  sending: { zh: '正在上传', en: 'Uploading' },
  receiving: { zh: '正在下载', en: 'Downloading' },
  progressOf: { zh: '{name} 的进度', en: 'Progress of {name}' },
  passed: { zh: '{passed} / {size}', en: '{passed} of {size}' },
});
