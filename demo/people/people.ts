/** A sample account. `days` is its age. */
export interface Person {
  readonly username: string;
  readonly name: string;
  readonly role: 'Admin' | 'Auditor' | 'User';
  readonly mail: string;
  readonly groups: readonly string[];
  readonly phone: string | null;
  readonly comment: string;
  readonly city: string;
  /** Network of the user's workplace. */
  readonly address: string;
  readonly days: number;
  readonly source?: 'local' | 'ldap';
  readonly isActive?: boolean;
  readonly isExpired?: boolean;
  /** True if the account has {@link DEMO_PASSWORD}; others cannot sign in. */
  readonly canSignIn?: boolean;
}

/** Public: the demo listens on loopback only and has no real data. */
export const DEMO_PASSWORD = 'sallyport-demo';

export const GROUPS = [
  { name: '平台运维', comment: '值班与基础设施' },
  { name: '业务研发', comment: '电商、订单与支付的开发同学' },
  { name: '数据库管理员', comment: 'DBA，负责全部数据库' },
  { name: 'Europe SRE', comment: 'On call for Frankfurt and Dublin' },
  { name: 'Data Platform', comment: 'Hadoop, Kafka and the warehouse' },
  { name: '外包团队', comment: '按项目授权，到期自动失效' },
  { name: '体验用户', comment: '可登录体验区主机' },
] as const;

type Extra = Partial<Pick<Person, 'source' | 'isActive' | 'isExpired' | 'canSignIn' | 'phone'>>;

function person(
  username: string,
  name: string,
  role: Person['role'],
  groups: readonly string[],
  place: readonly [string, string],
  days: number,
  comment = '',
  extra: Extra = {},
): Person {
  const [city, address] = place;
  return {
    username,
    name,
    role,
    mail: `${username}@example.com`,
    groups,
    phone: null,
    comment,
    city,
    address,
    days,
    ...extra,
  };
}

const SHANGHAI = ['上海', '10.88.12'] as const;
const BEIJING = ['北京', '10.88.24'] as const;
const FRANKFURT = ['Frankfurt', '10.96.8'] as const;
const PORTLAND = ['Portland', '10.104.3'] as const;
const HERE = ['', '127.0.0'] as const;

const OPERATIONS = '平台运维';
const DEVELOPMENT = '业务研发';
const DATABASES = '数据库管理员';
const EUROPE = 'Europe SRE';
const DATA = 'Data Platform';
const CONTRACTORS = '外包团队';
const VISITORS = '体验用户';

export const PEOPLE: readonly Person[] = [
  person('demo', '体验账号', 'User', [VISITORS], HERE, 30, '演示账号：登录后可连接体验区主机', {
    canSignIn: true,
  }),
  person('auditor', '审计演示', 'Auditor', [], HERE, 30, '演示账号：查看会话、命令与日志', {
    canSignIn: true,
  }),
  person('linxiaofeng', '林晓峰', 'Admin', [OPERATIONS], SHANGHAI, 410, '平台负责人', {
    phone: '13800000001',
  }),
  person(
    'smitchell',
    'Sarah Mitchell',
    'Admin',
    [EUROPE],
    FRANKFURT,
    388,
    'Head of infrastructure, EMEA',
  ),
  person('zhouyaqin', '周雅琴', 'Auditor', [], SHANGHAI, 365, '内审部'),
  person('trivera', 'Tomás Rivera', 'Auditor', [], PORTLAND, 210, 'External audit, read only'),
  person('wanghaoran', '王浩然', 'User', [OPERATIONS], SHANGHAI, 400, '值班组长', {
    phone: '13800000007',
  }),
  person('chensiyuan', '陈思远', 'User', [OPERATIONS, DATABASES], SHANGHAI, 352),
  person('zhangwei', '张伟', 'User', [OPERATIONS], BEIJING, 340),
  person('liuyang', '刘洋', 'User', [DEVELOPMENT], SHANGHAI, 301, '前端发布'),
  person('zhaomingyu', '赵明宇', 'User', [DEVELOPMENT], SHANGHAI, 280, '订单中心'),
  person('sunlili', '孙丽丽', 'User', [DEVELOPMENT], BEIJING, 245, '支付网关'),
  person('huangzixuan', '黄子轩', 'User', [DEVELOPMENT], BEIJING, 160, '搜索推荐', {
    source: 'ldap',
  }),
  person('majianguo', '马建国', 'User', [DATABASES], BEIJING, 390, '首席 DBA', {
    phone: '13800000014',
  }),
  person('xuwenjing', '徐文静', 'User', [DATABASES], SHANGHAI, 120),
  person('jweber', 'Jonas Weber', 'User', [EUROPE], FRANKFURT, 320, 'SRE, rota A'),
  person('anovak', 'Anna Nováková', 'User', [EUROPE], FRANKFURT, 220, 'SRE, rota B'),
  person('lbianchi', 'Luca Bianchi', 'User', [EUROPE, DATA], FRANKFURT, 150, '', {
    source: 'ldap',
  }),
  person('dokafor', 'Daniel Okafor', 'User', [DATA], PORTLAND, 260, 'Streaming'),
  person('pshah', 'Priya Shah', 'User', [DATA], PORTLAND, 190, 'Warehouse', { source: 'ldap' }),
  person('heyuting', '何雨婷', 'User', [DATA], BEIJING, 95, '离线数仓'),
  person('kjohansson', 'Karin Johansson', 'User', [DATA], FRANKFURT, 60),
  person(
    'vendor-guo',
    '郭志强（外包）',
    'User',
    [CONTRACTORS],
    BEIJING,
    75,
    '机房巡检，合同至年底',
  ),
  person('vendor-tang', '唐敏（外包）', 'User', [CONTRACTORS], BEIJING, 140, '合同已到期', {
    isExpired: true,
  }),
  person('mfoster', 'Mark Foster', 'User', [], PORTLAND, 330, 'Left the company', {
    isActive: false,
  }),
  person('ci-robot', 'CI robot', 'User', [DEVELOPMENT], SHANGHAI, 270, 'API only'),
];
