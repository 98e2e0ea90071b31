import { catalogue } from '../../kit/i18n/index.ts';

/** Words of uploading from a terminal. */
export const words = catalogue({
  title: { zh: '上传到 {name}', en: 'Upload to {name}' },
  choose: { zh: '选择文件…', en: 'Choose files…' },
  chooseOthers: { zh: '选择其他文件…', en: 'Choose other files…' },
  orDrop: {
    zh: '也可以将文件或文件夹拖到终端上。',
    en: 'You can also drop files or folders on the terminal.',
  },
  reading: { zh: '正在读取文件列表', en: 'Reading the list of files' },
  files: { zh: '要上传的文件', en: 'Files to upload' },
  more: {
    zh: '还有 {count, number} 个文件',
    en: '{count, plural, one {and # more file} other {and # more files}}',
  },
  total: {
    zh: '{count, number} 个文件，{size}',
    en: '{count, plural, one {# file} other {# files}}, {size}',
  },
  folder: { zh: '目标文件夹', en: 'Target folder' },
  folderHint: {
    zh: '“/”是账号 {account} 的文件根目录（{root}）。',
    en: '“/” is the file root of {account} ({root}).',
  },
  taken: {
    zh: '该文件夹中已有 {count, number} 个同名项：{names}',
    en: '{count, plural, one {# name is already in this folder} other {# names are already in this folder}}: {names}',
  },
  whenTaken: { zh: '文件已存在时', en: 'If a file already exists' },
  askEach: { zh: '逐个询问', en: 'Ask each time' },
  replace: { zh: '替换', en: 'Replace it' },
  keepBoth: { zh: '两者都保留', en: 'Keep both' },
  skip: { zh: '跳过', en: 'Skip it' },
  upload: { zh: '上传', en: 'Upload' },
  cancel: { zh: '取消', en: 'Cancel' },
  noAccount: {
    zh: '请先连接此终端，再上传文件。',
    en: 'Connect this terminal first, then upload files.',
  },
  telnet: {
    zh: 'Telnet 不能传输文件。请使用 SSH 账号的终端上传。',
    en: 'Telnet cannot transfer files. Use a terminal with an SSH account to upload.',
  },
});
