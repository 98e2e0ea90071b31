import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  basic: { zh: '基本', en: 'Basic' },
  conditionHint: {
    zh: '授权可以附加一个访问条件：只有全部条件满足时，授权才生效。',
    en: 'A permission with a condition holds only while all parts of the condition hold.',
  },
  networkHint: {
    zh: '命名的地址段：访问条件用它们限定来源网络。',
    en: 'Named address ranges. Conditions limit access to them.',
  },
  signInHint: {
    zh: '登录规则适用于整个系统：每条适用的规则都须满足，否则拒绝登录或要求双重认证。',
    en: 'Sign-in rules belong to the installation. Every rule that names an account must hold; otherwise the sign-in is refused, or needs a second factor.',
  },
  signInWho: { zh: '适用用户', en: 'Whose sign-ins' },
  signInHow: { zh: '客户端和处理方式', en: 'Clients, and otherwise' },
  signInOnly: {
    zh: '仅在满足以下全部时可登录：{parts}',
    en: 'Sign-in only if all of this is true: {parts}',
  },
  signInFactor: {
    zh: '不满足以下全部时须双重认证：{parts}',
    en: 'A second factor unless all of this is true: {parts}',
  },
  signInFree: { zh: '不限制登录', en: 'Does not limit sign-ins' },
  officeHours: { zh: '周一至周五 8 点到 18 点', en: 'Mon–Fri 8 to 18' },
  noHours: { zh: '清空', en: 'Clear' },
  exactHours: { zh: '精确时段', en: 'Exact hours' },
  holdsIf: { zh: '满足以下全部时生效：{parts}', en: 'Holds if all of this is true: {parts}' },
  alwaysHolds: { zh: '始终满足', en: 'Always holds' },
  fromWhere: { zh: '来源网络', en: 'From which networks' },
  when: { zh: '生效时间', en: 'On which days, at which hours' },
  period: { zh: '期限', en: 'Period' },
  how: { zh: '认证和客户端', en: 'Second factor and clients' },
  whichPorts: { zh: '转发到哪些端口', en: 'To which ports' },
  more: { zh: '其他', en: 'More' },
  userGroups: { zh: '用户组', en: 'User groups' },
  members: { zh: '用户', en: 'Users' },
});
