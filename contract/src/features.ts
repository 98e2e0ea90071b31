import type { LocalText } from './kit/text.ts';
import type { SettingCategoryName } from './settings/settings.ts';

/** A feature that an installation can do without. */
export interface OptionalFeature {
  readonly title: LocalText;
  /** The loss of users while the feature is off. */
  readonly without: LocalText;
  /** Its categories of settings. While it is off, their values are the defaults. */
  readonly settings?: readonly SettingCategoryName[];
  /** Rules of this feature stay in force while it is off. Users cannot change them. */
  readonly protects?: LocalText;
}

/** Users of an identity provider cannot sign in. */
const noSignIn = (provider: string): LocalText => ({
  en: `Users of ${provider} cannot sign in with it.`,
  zh: `${provider} 用户无法用它登录。`,
});

/**
 * The features that `SALLYPORT_WITHOUT` switches off, by their name on the server and in the
 * console.
 */
export const OPTIONAL_FEATURES = {
  alerts: {
    title: { en: 'Alerts', zh: '告警' },
    without: {
      en: 'Unusual sign-ins and access raise no alerts.',
      zh: '异常的登录和访问不再产生告警。',
    },
    settings: ['alerts'],
  },
  apply: {
    title: { en: 'Files of wanted objects', zh: '目标对象文件' },
    without: {
      en: 'The API compares and applies no files; the command still does.',
      zh: 'API 不再比较和应用文件；命令行仍可使用。',
    },
  },
  cas: {
    title: { en: 'CAS', zh: 'CAS' },
    without: noSignIn('CAS'),
    settings: ['cas'],
  },
  'change-auth': {
    title: { en: 'Password changes', zh: '改密计划' },
    without: {
      en: 'Plans change no passwords and keys of accounts.',
      zh: '改密计划不再修改账号的密码和密钥。',
    },
  },
  'change-control': {
    title: { en: 'Change control', zh: '变更控制' },
    without: {
      en: 'No change can be proposed or decided.',
      zh: '无法提交或审批变更。',
    },
    protects: {
      en: 'Changes under change control are refused.',
      zh: '受变更控制的修改会被拒绝。',
    },
  },
  cloud: {
    title: { en: 'Synchronization of clouds', zh: '云同步' },
    without: {
      en: 'Instances of clouds do not become assets.',
      zh: '云主机不再同步为资产。',
    },
  },
  compliance: {
    title: { en: 'Compliance report', zh: '合规报告' },
    without: {
      en: 'No report by clause; a preset in force stays in force.',
      zh: '没有逐条报告；已生效的预设继续生效。',
    },
  },
  directory: {
    title: { en: 'LDAP directory', zh: 'LDAP 目录' },
    without: {
      en: 'Users of the directory cannot sign in with its password, and the server does not shut their accounts.',
      zh: '目录用户无法用目录密码登录，其账号也不再自动停用。',
    },
    settings: ['ldap'],
  },
  events: {
    title: { en: 'Event receivers', zh: '事件接收方' },
    without: {
      en: 'Receivers get no events. The events wait for the feature.',
      zh: '接收方收不到事件；事件会保留到功能重新启用。',
    },
  },
  evidence: {
    title: { en: 'Evidence files', zh: '证据文件' },
    without: {
      en: 'Sessions cannot be exported as files that prove themselves.',
      zh: '会话无法导出为可独立验证的文件。',
    },
  },
  gathering: {
    title: { en: 'Gathered accounts', zh: '账号收集' },
    without: {
      en: 'Tasks find no accounts on assets.',
      zh: '任务不再收集资产上的账号。',
    },
  },
  openid: {
    title: { en: 'OpenID Connect', zh: 'OpenID Connect' },
    without: noSignIn('OpenID Connect'),
    settings: ['openid'],
  },
  radius: {
    title: { en: 'RADIUS', zh: 'RADIUS' },
    without: noSignIn('RADIUS'),
    settings: ['radius'],
  },
  saml: {
    title: { en: 'SAML', zh: 'SAML' },
    without: noSignIn('SAML'),
    settings: ['saml'],
  },
  scim: {
    title: { en: 'SCIM', zh: 'SCIM' },
    without: {
      en: 'Identity providers cannot create, change and shut accounts.',
      zh: '身份提供方无法创建、修改和停用账号。',
    },
    settings: ['scim'],
  },
  traces: {
    title: { en: 'Traces', zh: '链路追踪' },
    without: { en: 'Collectors receive no spans.', zh: '采集器收不到链路数据。' },
  },
  v4: {
    title: { en: 'Reads of later API versions', zh: '后续版本的只读 API' },
    without: {
      en: 'Clients of versions 3 and 4 of the API find no addresses.',
      zh: '第 3、4 版 API 的客户端无法访问。',
    },
  },
} as const satisfies Readonly<Record<string, OptionalFeature>>;

export type FeatureName = keyof typeof OPTIONAL_FEATURES;

export const FEATURE_NAMES = Object.keys(OPTIONAL_FEATURES) as FeatureName[];

/** Returns true for the name of a feature that can be switched off. */
export const isFeatureName = (name: string): name is FeatureName =>
  Object.hasOwn(OPTIONAL_FEATURES, name);

export const featureOf = (name: FeatureName): OptionalFeature => OPTIONAL_FEATURES[name];

/** Returns the feature that a category of settings belongs to. */
export const featureOfSettings = (category: string): FeatureName | undefined =>
  FEATURE_NAMES.find((name) => featureOf(name).settings?.some((each) => each === category));

/** GET common/features/: a feature that an installation can do without (a bare array). */
export interface FeatureRow {
  readonly name: FeatureName;
  readonly on: boolean;
  /** Stored rules that stay in force while the feature is off. */
  readonly rules: number;
}
