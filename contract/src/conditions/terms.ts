import { formatDatetime, isTimeZone } from '../kit/datetime.ts';
import type { LocalText } from '../kit/text.ts';
import { isAddress, isInNetworks, isNetwork } from './networks.ts';
import { isInPorts, parsePortRange } from './port-ranges.ts';
import { isWithinHours, parseWeekHours } from './week-hours.ts';

/** Kinds of clients with their bits. */
export const CLIENTS = [
  { value: 'web', mask: 1, label: { en: 'Web', zh: '网页' } },
  { value: 'ssh', mask: 2, label: { en: 'SSH client', zh: 'SSH 客户端' } },
  { value: 'database', mask: 4, label: { en: 'Database client', zh: '数据库客户端' } },
  { value: 'kubernetes', mask: 8, label: { en: 'Kubernetes client', zh: 'Kubernetes 客户端' } },
] as const;
export type ClientKind = (typeof CLIENTS)[number]['value'];

/**
 * The parts of a condition, as the database returns them. All parts must hold; an empty part holds
 * always. `…_excluded` negates a part that is not empty.
 */
export interface ConditionTerms {
  readonly name: string;
  readonly networks: readonly { readonly name: string; readonly networks: readonly string[] }[];
  readonly networks_excluded: boolean;
  readonly hours: readonly string[];
  readonly time_zone: string;
  readonly hours_excluded: boolean;
  /** Null: no limit. */
  readonly valid_from: string | null;
  readonly valid_until: string | null;
  readonly period_excluded: boolean;
  /** Maximum age of the second factor; 0: none is required. */
  readonly factor_minutes: number;
  readonly factor_excluded: boolean;
  /** Bits of `CLIENTS`; 0: all. */
  readonly clients: number;
  readonly clients_excluded: boolean;
  /** Ports that connections are forwarded to; sign-in rules have none. */
  readonly ports?: readonly string[];
  readonly ports_excluded?: boolean;
}

/** The circumstances of a connection, sign-in or command. */
export interface Circumstances {
  /** Null if unknown. */
  readonly address: string | null;
  readonly client: ClientKind | null;
  /** Time (ms) of the last second factor; undefined if the caller checks it separately. */
  readonly factorAt?: number | null;
  /** The port of a forwarded connection; undefined for every other use. */
  readonly forwardPort?: number;
  /** Time (ms). */
  readonly now: number;
}

const MINUTE = 60_000;

export const both = (en: string, zh: string): LocalText => ({ en, zh });
export const join = (texts: readonly LocalText[], en: string, zh: string): LocalText =>
  both(texts.map((text) => text.en).join(en), texts.map((text) => text.zh).join(zh));

const DAYS_ZH = [
  ['Mon', '周一'],
  ['Tue', '周二'],
  ['Wed', '周三'],
  ['Thu', '周四'],
  ['Fri', '周五'],
  ['Sat', '周六'],
  ['Sun', '周日'],
] as const;

function hoursText({ hours, time_zone: zone }: ConditionTerms): LocalText {
  const en = hours.map((text) => text.replaceAll('-', '–')).join(', ');
  const zh = DAYS_ZH.reduce((text, [day, name]) => text.replaceAll(day, name), en);
  return both(`${en} ${zone}`, `${zh.replaceAll(', ', '、')}（${zone}）`);
}

function networksText({ networks }: ConditionTerms): LocalText {
  const list = networks.map(({ name, networks: ranges }) => [name, ranges.join(', ')] as const);
  const described = (open: string, close: string) =>
    list.map(([name, ranges]) => (name ? `${name}${open}${ranges}${close}` : ranges));
  return both(described(' (', ')').join(', '), described('（', '）').join('、'));
}

function periodText({ valid_from, valid_until, time_zone: zone }: ConditionTerms): LocalText {
  const date = (text: string) => `${formatDatetime(new Date(text), zone).slice(0, 16)} ${zone}`;
  return join(
    [
      ...(valid_from ? [both(`from ${date(valid_from)}`, `${date(valid_from)} 起`)] : []),
      ...(valid_until ? [both(`until ${date(valid_until)}`, `至 ${date(valid_until)}`)] : []),
    ],
    ' ',
    '',
  );
}

const clientsText = ({ clients }: ConditionTerms): LocalText =>
  join(
    CLIENTS.filter(({ mask }) => (clients & mask) !== 0).map(({ label }) => label),
    ', ',
    '、',
  );

type ConditionField = 'networks' | 'hours' | 'valid_until' | 'factor_minutes' | 'clients' | 'ports';

/** Parts of a condition: its text, its refusal, and its value, which is undefined if unknown. */
export interface Part {
  readonly isSet: boolean;
  readonly isExcluded: boolean;
  /** True if an unknown value counts as holding, because the caller checks the part. */
  readonly isLeftToCaller?: boolean;
  /** The field that forms show the part in. */
  readonly field: ConditionField;
  readonly text: LocalText;
  readonly refusal: LocalText;
  holds(circumstances: Circumstances): boolean | undefined;
}

export const hoursOf = ({ hours }: ConditionTerms) =>
  hours.flatMap((text) => parseWeekHours(text) ?? []);

export const limitOf = (text: string | null, none: number) =>
  text ? new Date(text).getTime() : none;

const KNOWN_CLIENTS = CLIENTS.reduce((bits, { mask }) => bits | mask, 0);

/** Returns true if this version understands all parts of a condition. */
const isReadable = (terms: ConditionTerms): boolean =>
  terms.networks.every(
    ({ networks }) => networks.length > 0 && networks.every((text) => isNetwork(text)),
  ) &&
  terms.hours.every((text) => parseWeekHours(text) !== undefined) &&
  isTimeZone(terms.time_zone) &&
  [terms.valid_from, terms.valid_until].every((text) => !Number.isNaN(limitOf(text, 0))) &&
  Number.isSafeInteger(terms.factor_minutes) &&
  (terms.ports ?? []).every((text) => parsePortRange(text) !== undefined) &&
  (terms.clients & ~KNOWN_CLIENTS) === 0;

/**
 * Returns the terms if all parts can be read. Terms come from the database, and a newer version of
 * the server may have written them.
 */
export function readable(terms: ConditionTerms): ConditionTerms | undefined {
  try {
    return isReadable(terms) ? terms : undefined;
  } catch {
    return undefined;
  }
}

export const UNREADABLE = both('the condition cannot be read', '无法读取访问条件');

export function networksPart(terms: ConditionTerms): Part {
  return {
    field: 'networks',
    isSet: terms.networks.length > 0,
    isExcluded: terms.networks_excluded,
    text: networksText(terms),
    refusal: both('not from this network', '当前网络不允许'),
    holds: ({ address }) =>
      address === null || !isAddress(address)
        ? undefined
        : terms.networks.some(({ networks }) => isInNetworks(address, networks)),
  };
}

export function timeParts(terms: ConditionTerms): readonly Part[] {
  const refusal = both('not now', '当前时间不允许');
  return [
    {
      field: 'hours',
      isSet: terms.hours.length > 0,
      isExcluded: terms.hours_excluded,
      text: hoursText(terms),
      refusal,
      holds: ({ now }) => isWithinHours(hoursOf(terms), terms.time_zone, now),
    },
    {
      field: 'valid_until',
      isSet: terms.valid_from !== null || terms.valid_until !== null,
      isExcluded: terms.period_excluded,
      text: periodText(terms),
      refusal,
      holds: ({ now }) =>
        limitOf(terms.valid_from, Number.NEGATIVE_INFINITY) <= now &&
        limitOf(terms.valid_until, Number.POSITIVE_INFINITY) > now,
    },
  ];
}

function factorPart({
  factor_minutes: minutes,
  factor_excluded: isExcluded,
}: ConditionTerms): Part {
  return {
    field: 'factor_minutes',
    isSet: minutes > 0,
    isExcluded,
    isLeftToCaller: !isExcluded,
    text: both(`a second factor within ${minutes} minutes`, `${minutes} 分钟内通过双重认证`),
    refusal: both('not with this second factor', '双重认证不符合要求'),
    holds: ({ factorAt, now }) =>
      factorAt === undefined ? undefined : factorAt !== null && now - factorAt < minutes * MINUTE,
  };
}

function clientsPart(terms: ConditionTerms): Part {
  return {
    field: 'clients',
    isSet: terms.clients > 0,
    isExcluded: terms.clients_excluded,
    text: clientsText(terms),
    refusal: both('not with this client', '当前客户端不允许'),
    holds: ({ client }) =>
      client === null
        ? undefined
        : CLIENTS.some(({ value, mask }) => value === client && (terms.clients & mask) !== 0),
  };
}

function portsPart({ ports = [], ports_excluded: isExcluded = false }: ConditionTerms): Part {
  const list = ports.map((text) => text.replace('-', '–'));
  return {
    field: 'ports',
    isSet: ports.length > 0,
    isExcluded,
    text: both(`ports ${list.join(', ')}`, `端口 ${list.join('、')}`),
    refusal: both('not to this port', '当前端口不允许转发'),
    // Limits forwarded connections only.
    holds: ({ forwardPort }) =>
      forwardPort === undefined ? !isExcluded : isInPorts(forwardPort, ports),
  };
}

export const partsOf = (terms: ConditionTerms): readonly Part[] =>
  [
    networksPart(terms),
    ...timeParts(terms),
    factorPart(terms),
    clientsPart(terms),
    portsPart(terms),
  ].filter(({ isSet }) => isSet);
