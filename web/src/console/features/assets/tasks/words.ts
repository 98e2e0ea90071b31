import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  reachable: { zh: '可连接', en: 'Reachable' },
  unreachable: { zh: '不可连接', en: 'Unreachable' },
  unknown: { zh: '未知', en: 'Unknown' },
  signedIn: { zh: '已登录', en: 'Signed in' },
  notSignedIn: { zh: '登录被拒绝', en: 'Sign-in refused' },
  runsCommands: { zh: '可执行命令', en: 'runs commands' },
  runsNoCommands: { zh: '不能执行命令', en: 'runs no commands' },
  servesFiles: { zh: '可传输文件', en: 'serves files' },
  servesNoFiles: { zh: '不能传输文件', en: 'serves no files' },
  connectivity: { zh: '可连接', en: 'Connectivity' },
  test: { zh: '测试资产可连接性', en: 'Test connectivity' },
  refresh: { zh: '更新硬件信息', en: 'Refresh hardware info' },
  run: { zh: '执行', en: 'Run' },
});
