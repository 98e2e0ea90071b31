/** Purpose of a machine; determines its name, hardware, accounts and use. */
export type Kind =
  | 'web'
  | 'app'
  | 'database'
  | 'data'
  | 'kubernetes'
  | 'ci'
  | 'firewall'
  | 'windows'
  | 'sandbox';

/** A leaf of the sample tree with its machines. */
export interface Place {
  readonly path: readonly string[];
  readonly kind: Kind;
  readonly prefix: string;
  readonly count: number;
  /**
   * First three octets of the addresses. 198.18.0.0/15 is reserved for tests, so no sample leads to
   * a real machine.
   */
  readonly network: string;
  readonly domain?: string;
  readonly comment: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
}

const SHANGHAI = '华东 · 上海';
const BEIJING = '华北 · 北京';
const FRANKFURT = 'Europe · Frankfurt';
const OREGON = 'US West · Oregon';
const LABS = '开发与测试';

const PRODUCTION = ['环境', '生产'] as const;
const STAGING = ['环境', '预发'] as const;
const TESTING = ['环境', '测试'] as const;

export const PLACES: readonly Place[] = [
  {
    path: [SHANGHAI, '生产环境', '电商前台'],
    kind: 'web',
    prefix: 'sh-web',
    count: 10,
    network: '198.18.10',
    domain: '上海机房',
    comment: '前台 Nginx',
    labels: [PRODUCTION, ['业务线', '电商']],
  },
  {
    path: [SHANGHAI, '生产环境', '订单中心'],
    kind: 'app',
    prefix: 'sh-order',
    count: 8,
    network: '198.18.11',
    domain: '上海机房',
    comment: '订单服务',
    labels: [PRODUCTION, ['业务线', '电商']],
  },
  {
    path: [SHANGHAI, '生产环境', '支付网关'],
    kind: 'app',
    prefix: 'sh-pay',
    count: 6,
    network: '198.18.12',
    domain: '上海支付专区',
    comment: '支付网关，变更需双人复核',
    labels: [PRODUCTION, ['业务线', '支付'], ['合规', 'PCI']],
  },
  {
    path: [SHANGHAI, '生产环境', '数据库'],
    kind: 'database',
    prefix: 'sh-mysql',
    count: 8,
    network: '198.18.13',
    domain: '上海机房',
    comment: 'MySQL 8.4 主从',
    labels: [PRODUCTION, ['业务线', '电商']],
  },
  {
    path: [SHANGHAI, '预发环境'],
    kind: 'app',
    prefix: 'sh-pre',
    count: 5,
    network: '198.18.20',
    comment: '预发',
    labels: [STAGING],
  },
  {
    path: [BEIJING, '生产环境', '大数据平台'],
    kind: 'data',
    prefix: 'bj-hadoop',
    count: 12,
    network: '198.18.40',
    domain: '北京机房',
    comment: 'Hadoop 数据节点',
    labels: [PRODUCTION, ['业务线', '数据']],
  },
  {
    path: [BEIJING, '生产环境', '搜索推荐'],
    kind: 'app',
    prefix: 'bj-search',
    count: 7,
    network: '198.18.41',
    domain: '北京机房',
    comment: '搜索与推荐',
    labels: [PRODUCTION, ['业务线', '搜索']],
  },
  {
    path: [BEIJING, '办公网络', 'Windows 服务器'],
    kind: 'windows',
    prefix: 'BJ-WIN',
    count: 6,
    network: '198.18.50',
    comment: '域控与文件服务',
    labels: [['环境', '办公']],
  },
  {
    path: [FRANKFURT, 'Production', 'Web'],
    kind: 'web',
    prefix: 'fra-web',
    count: 8,
    network: '198.19.10',
    domain: 'Frankfurt DC',
    comment: 'Web front, EU',
    labels: [PRODUCTION, ['region', 'eu-central']],
  },
  {
    path: [FRANKFURT, 'Production', 'Databases'],
    kind: 'database',
    prefix: 'fra-pg',
    count: 5,
    network: '198.19.11',
    domain: 'Frankfurt DC',
    comment: 'PostgreSQL 18',
    labels: [PRODUCTION, ['region', 'eu-central']],
  },
  {
    path: [FRANKFURT, 'Production', 'Edge firewalls'],
    kind: 'firewall',
    prefix: 'fra-fw',
    count: 4,
    network: '198.19.12',
    comment: 'FreeBSD with pf',
    labels: [PRODUCTION, ['region', 'eu-central'], ['compliance', 'PCI']],
  },
  {
    path: [FRANKFURT, 'Staging'],
    kind: 'app',
    prefix: 'fra-stg',
    count: 4,
    network: '198.19.20',
    comment: 'Staging',
    labels: [STAGING, ['region', 'eu-central']],
  },
  {
    path: [OREGON, 'Production', 'Kubernetes'],
    kind: 'kubernetes',
    prefix: 'or-k8s',
    count: 10,
    network: '198.19.60',
    domain: 'Oregon VPC',
    comment: 'Cluster node',
    labels: [PRODUCTION, ['region', 'us-west']],
  },
  {
    path: [OREGON, 'Production', 'Streaming'],
    kind: 'data',
    prefix: 'or-kafka',
    count: 6,
    network: '198.19.61',
    domain: 'Oregon VPC',
    comment: 'Kafka broker',
    labels: [PRODUCTION, ['region', 'us-west']],
  },
  {
    path: [OREGON, 'Windows'],
    kind: 'windows',
    prefix: 'OR-WIN',
    count: 4,
    network: '198.19.70',
    comment: 'Build and license servers',
    labels: [['region', 'us-west']],
  },
  {
    path: [LABS, '持续集成'],
    kind: 'ci',
    prefix: 'ci-runner',
    count: 8,
    network: '198.19.100',
    comment: '流水线执行机',
    labels: [TESTING],
  },
  {
    path: [LABS, '开发沙箱'],
    kind: 'sandbox',
    prefix: 'dev',
    count: 9,
    network: '198.19.101',
    comment: '个人开发机',
    labels: [TESTING],
  },
];

/** The node of the sandboxed SSH server. */
export const PLAYGROUND = '体验区 Playground';

export interface SampleDomain {
  readonly name: string;
  readonly comment: string;
  readonly gateways: readonly {
    readonly name: string;
    readonly ip: string;
    readonly username: string;
    readonly isActive: boolean;
  }[];
}

export const DOMAINS: readonly SampleDomain[] = [
  {
    name: '上海机房',
    comment: '经由两台跳板进入',
    gateways: [
      { name: 'sh-gw-01', ip: '198.18.1.11', username: 'jump', isActive: true },
      { name: 'sh-gw-02', ip: '198.18.1.12', username: 'jump', isActive: true },
    ],
  },
  {
    name: '上海支付专区',
    comment: '隔离区，仅一台跳板',
    gateways: [{ name: 'sh-pay-gw', ip: '198.18.2.11', username: 'jump', isActive: true }],
  },
  {
    name: '北京机房',
    comment: '',
    gateways: [
      { name: 'bj-gw-01', ip: '198.18.3.11', username: 'jump', isActive: true },
      { name: 'bj-gw-02', ip: '198.18.3.12', username: 'jump', isActive: false },
    ],
  },
  {
    name: 'Frankfurt DC',
    comment: 'Reached through the edge',
    gateways: [{ name: 'fra-gw-01', ip: '198.19.1.11', username: 'hop', isActive: true }],
  },
  {
    name: 'Oregon VPC',
    comment: 'Private subnet',
    gateways: [{ name: 'or-gw-01', ip: '198.19.2.11', username: 'ec2-user', isActive: true }],
  },
];
