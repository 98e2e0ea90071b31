import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of the pages of terminals. */
export const words = catalogue({
  hint: {
    zh: '每个运行中的服务器都会自动注册为一个终端。停用的终端不再接受新会话，已打开的会话不受影响。',
    en: 'Each running server registers itself as a terminal. A retired terminal accepts no new sessions; those that are open go on.',
  },
  info: { zh: '信息', en: 'Info' },
  other: { zh: '其它', en: 'Other' },
  detail: { zh: '终端详情', en: 'Terminal' },
  retire: { zh: '停用', en: 'Retire' },
  retireQuestion: {
    zh: '停用终端“{name}”？它将不再接受新会话，直到重新启用。',
    en: 'Retire the terminal “{name}”? It accepts no new sessions until it is used again.',
  },
  retired: { zh: '终端已停用', en: 'The terminal is retired' },
  use: { zh: '启用', en: 'Use again' },
  runs: { zh: '终端正在运行，会自动注册', en: 'It is running and would register itself again' },
});
