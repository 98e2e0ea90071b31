import { catalogue } from '../i18n/index.ts';

export const words = catalogue({
  offline: { zh: '网络已断开', en: 'Offline' },
  unreachable: { zh: '无法连接服务器', en: 'Server not reachable' },
  dataFrom: { zh: '{what}：当前显示 {time} 的数据', en: '{what}: showing data from {time}' },
  cannotSave: {
    zh: '连接恢复后才能保存，已填写的内容会保留。',
    en: 'You can save when the connection is back. Your input is kept.',
  },
});
