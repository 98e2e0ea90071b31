import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  reachable: { zh: '可连接', en: 'Reachable' },
  unreachable: { zh: '不可连接', en: 'Unreachable' },
  unknown: { zh: '未知', en: 'Unknown' },
  connectivity: { zh: '可连接', en: 'Connectivity' },
  test: { zh: '测试资产可连接性', en: 'Test connectivity' },
  refresh: { zh: '更新硬件信息', en: 'Refresh hardware info' },
  run: { zh: '执行', en: 'Run' },
});
