import { catalogue } from '../../../../kit/i18n/index.ts';

/** Words of the picture of the way to an asset. */
export const words = catalogue({
  title: { zh: '访问路径', en: 'How it is reached' },
  users: {
    zh: '{count, number} 个用户',
    en: '{count, plural, one {# user} other {# users}}',
  },
  noCondition: { zh: '无条件', en: 'No condition' },
  someWithout: { zh: '部分授权无条件', en: 'some without a condition' },
  bastion: { zh: '堡垒机', en: 'Bastion' },
  checks: { zh: '验证、审计、录像', en: 'checks and records' },
  direct: { zh: '直接连接', en: 'direct connection' },
  noGateway: { zh: '没有可用网关，无法连接', en: 'no active gateway: unreachable' },
  gateways: {
    zh: '网关 {names}',
    en: 'gateway {names}',
  },
  site: { zh: '站点 {names}，由站点连入', en: 'site {names}, connects to the bastion' },
  more: { zh: '等 {count, number} 个', en: 'and {count, number} more' },
});
