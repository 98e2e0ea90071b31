import * as cas from './cas/index.ts';
import * as directory from './directory/index.ts';
import * as emergency from './emergency/index.ts';
import type { OptionalFeature } from './feature.ts';
import * as openid from './openid/index.ts';
import * as radius from './radius/index.ts';
import * as saml from './saml/index.ts';
import * as scim from './scim/index.ts';

export type { CasTest } from './cas/index.ts';
export type { OpenidTest } from './openid/index.ts';
export type { RadiusTest } from './radius/index.ts';
export type { SamlTest } from './saml/index.ts';
export type { ScimTest } from './scim/index.ts';

/** Settings of directories, RADIUS servers and identity providers. */
export const SIGN_IN_SETTINGS = {
  ...directory.SETTINGS,
  ...radius.SETTINGS,
  ...openid.SETTINGS,
  ...saml.SETTINGS,
  ...cas.SETTINGS,
  ...scim.SETTINGS,
} as const;

/** Errors of single features. */
export const FEATURE_ERRORS = {
  ...radius.ERRORS,
  ...openid.ERRORS,
  ...saml.ERRORS,
  ...cas.ERRORS,
  ...scim.ERRORS,
  ...emergency.ERRORS,
} as const;

/** Types of tickets whose answer a feature decides. Absent: answers fail while it is off. */
export const FEATURE_TICKET_TYPES = [emergency.TICKET_TYPE] as const;

/** Fields of sessions that features fill. */
export const FEATURE_SESSION_FIELDS = { ...emergency.SESSION_FIELDS };

/** Badges of sessions, by the field that is true. Marked sessions come first in lists. */
export const SESSION_MARKS = [emergency.SESSION_MARK] as const;
export type SessionMarks = {
  readonly [Field in (typeof SESSION_MARKS)[number]['field']]: boolean;
};

/** Returns true if a session has a badge. */
export const isMarked = (session: SessionMarks): boolean =>
  SESSION_MARKS.some(({ field }) => session[field]);

/** Ends of sessions with the access that a feature gave at once, without an approval. */
export const INSTANT_ACCESS_END = emergency.SESSION_END;

/** Kinds of notifications of features. */
export const FEATURE_NEWS = [...emergency.NEWS] as const;

/** Sources of accounts outside of Sallyport. */
export const SIGN_IN_SOURCES = [
  directory.SOURCE,
  openid.SOURCE,
  saml.SOURCE,
  radius.SOURCE,
  cas.SOURCE,
] as const;
type Source = (typeof SIGN_IN_SOURCES)[number];

/** The source of an account that a feature signs in. */
export type ExternalSource = Source['value'];
/** A source whose users authenticate at a page of the provider. */
export type ProviderSource = Extract<Source, { readonly way: 'page' }>['value'];
/** A source that reports the groups of its users. */
export type GroupSource = Extract<Source, { readonly reportsGroups: true }>['value'];
/** The source of users that an identity provider maintains by SCIM. */
export type ScimSource = Extract<Source, { readonly scim: true }>['value'];
/** The source of new SCIM tokens. */
export const USUAL_SCIM_SOURCE: ScimSource = saml.SOURCE.value;
/** A part of the program that writes accounts of a source. */
export type SourceService = Source['service'];

/** Returns a source by its value. */
export const sourceOf = (value: ExternalSource): Source => {
  const source = SIGN_IN_SOURCES.find((each) => each.value === value);
  if (!source) throw new Error(`${value} is no source of accounts`);
  return source;
};

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
  cas: cas.FEATURE,
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
  clusters: {
    title: { en: 'Kubernetes clusters', zh: 'Kubernetes 集群' },
    without: {
      en: 'Users cannot reach the API servers of clusters.',
      zh: '用户无法访问集群的 API Server。',
    },
  },
  compliance: {
    title: { en: 'Compliance report', zh: '合规报告' },
    without: {
      en: 'No report by clause; a preset in force stays in force.',
      zh: '没有逐条报告；已生效的预设继续生效。',
    },
  },
  directory: directory.FEATURE,
  emergency: emergency.FEATURE,
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
  'lost-changes': {
    title: { en: 'Lost changes', zh: '丢失的变更' },
    without: {
      en: 'Changes that a failover of the database takes away are not recorded.',
      zh: '数据库故障切换丢失的变更不再记录。',
    },
  },
  metrics: {
    title: { en: 'Metrics', zh: '监控指标' },
    without: { en: 'Prometheus finds no metrics.', zh: 'Prometheus 读不到指标。' },
  },
  openid: openid.FEATURE,
  radius: radius.FEATURE,
  saml: saml.FEATURE,
  scim: scim.FEATURE,
  sites: {
    title: { en: 'Sites', zh: '站点' },
    without: {
      en: 'Sites cannot connect, and users cannot reach assets behind them.',
      zh: '站点无法连接，用户无法访问其后的资产。',
    },
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
  /** Stored rules that stay in force, and reviews that wait, while the feature is off. */
  readonly rules: number;
}
