import {
  type ClauseProof,
  type ClauseReport,
  choicesOf,
  FOREVER_DAYS,
  formatDatetime,
  type Language,
  type LocalText,
  type PlannedChange,
  PRESETS,
  type PresetName,
  type PresetReport,
  SETTING_FIELDS,
  type Settings,
  say,
} from '@sallyport/contract';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Clause } from './clause.ts';
import { CLAUSES, SIGN_IN_NOTICE } from './clauses.ts';
import type { Fact } from './fact.ts';
import { FACTS, type FactName } from './facts.ts';
import { isMet, UNITS, type Wish } from './wishes.ts';

/** Returns the value of a setting in force. */
type ReadSetting = (name: keyof Settings) => unknown;
type Facts = Readonly<Record<FactName, Fact>>;

/** Language and time zone of a report. */
export interface Locale {
  readonly language: Language;
  readonly zone: string;
}

const TEXTS = {
  on: { en: 'On', zh: '开启' },
  off: { en: 'Off', zh: '关闭' },
  blank: { en: 'Blank', zh: '空' },
  anyText: { en: 'Any text', zh: '不为空' },
  unlimited: { en: 'No limit', zh: '不限' },
  atLeast: { en: 'At least {value}', zh: '不少于 {value}' },
  atMost: { en: 'At most {value}', zh: '不超过 {value}' },
} satisfies Record<string, LocalText>;

/** Maximum characters of a text setting in a report. */
const MOST_TEXT = 120;

function valueText({ setting, direction, unit }: Wish, value: unknown, language: Language): string {
  const choice = choicesOf(SETTING_FIELDS.get(setting))?.find((one) => one.value === value);
  if (choice) return say(choice.label, language);
  if (typeof value === 'boolean') return say(value ? TEXTS.on : TEXTS.off, language);
  if (typeof value === 'string')
    return value.trim() === '' ? say(TEXTS.blank, language) : value.slice(0, MOST_TEXT);
  const isUnlimited =
    direction === 'capped' ? value === 0 : unit === 'days' && Number(value) >= FOREVER_DAYS;
  if (isUnlimited) return say(TEXTS.unlimited, language);
  return unit ? say(UNITS[unit], language, { count: String(value) }) : String(value);
}

function wantedText(wish: Wish, wanted: string | number | boolean, language: Language): string {
  if (wish.direction === 'any_text') return say(TEXTS.anyText, language);
  const value = valueText(wish, wanted, language);
  if (wish.direction === 'exact') return value;
  const isMinimum = wish.direction === 'larger' || wish.direction === 'later_choice';
  return say(isMinimum ? TEXTS.atLeast : TEXTS.atMost, language, { value });
}

const labelOf = (setting: string, language: Language): string => {
  const field = SETTING_FIELDS.get(setting);
  return field ? say(field.label, language) : setting;
};

const STRENGTH = new Map<string, number>(PRESETS.map(({ name }, index) => [name, index]));
const wantsFact = (preset: PresetName, fact: FactName): boolean =>
  (STRENGTH.get(preset) ?? 0) >= (STRENGTH.get(FACTS[fact].from) ?? 0);

/**
 * Returns the settings that a preset changes. Values that are as strong or stronger stay.
 * `language` is that of the text before sign-in, if none is set.
 */
export function planOf(
  preset: PresetName,
  read: ReadSetting,
  language: Language,
): Readonly<Record<string, string | number | boolean>> {
  const wishes = CLAUSES.flatMap(({ wishes: own = [] }) => own);
  return Object.fromEntries(
    wishes.flatMap((wish) => {
      const target = wish.values[preset];
      if (target === undefined || isMet(wish, read(wish.setting), target)) return [];
      const value = wish.direction === 'any_text' ? say(SIGN_IN_NOTICE, language) : target;
      return [[wish.setting, value] as const];
    }),
  );
}

/** Returns the number of settings that are weaker than the preset in force wants. */
export function countDrift(settings: Pick<SettingsService, 'get'>): number {
  const active = PRESETS.find(({ name }) => name === settings.get('COMPLIANCE_PRESET'));
  if (!active) return 0;
  return Object.keys(planOf(active.name, (name) => settings.get(name), 'en')).length;
}

function settingProof(
  wish: Wish,
  preset: PresetName,
  read: ReadSetting,
  language: Language,
): ClauseProof[] {
  const target = wish.values[preset];
  if (target === undefined) return [];
  const value = read(wish.setting);
  return [
    {
      setting: wish.setting,
      label: labelOf(wish.setting, language),
      value: valueText(wish, value, language),
      wanted: wantedText(wish, target, language),
      met: isMet(wish, value, target),
    },
  ];
}

function factProof(name: FactName, facts: Facts, { language, zone }: Locale): ClauseProof {
  const { met, value, params = {} } = facts[name];
  const { title, wanted } = FACTS[name];
  return {
    setting: '',
    label: say(title, language),
    value: value instanceof Date ? formatDatetime(value, zone) : say(value, language, params),
    wanted: say(wanted, language),
    met,
  };
}

/** The values that proofs are read from. */
export interface Evidence {
  readonly read: ReadSetting;
  readonly facts: Facts;
}

function clauseReport(
  clause: Clause,
  preset: PresetName,
  { read, facts }: Evidence,
  locale: Locale,
): ClauseReport {
  const { reference, title, wishes = [], facts: names = [], builtIn, organization } = clause;
  const { language } = locale;
  const proofs = [
    ...wishes.flatMap((wish) => settingProof(wish, preset, read, language)),
    ...names
      .filter((name) => wantsFact(preset, name))
      .map((name) => factProof(name, facts, locale)),
  ];
  const isProven = proofs.length > 0 || builtIn !== undefined;
  return {
    reference,
    title: say(title, language),
    state: !isProven ? 'outside' : proofs.every(({ met }) => met) ? 'met' : 'gap',
    proofs,
    built_in: builtIn ? say(builtIn, language) : '',
    organization: organization ? say(organization, language) : '',
  };
}

/** Returns the values that a preset would set. */
const valuesOf = (preset: PresetName, read: ReadSetting) =>
  planOf(preset, read, read('SERVER_LANGUAGE') === 'en' ? 'en' : 'zh');

/** Returns the settings that a preset changes, in words. */
function changesOf(preset: PresetName, read: ReadSetting, language: Language): PlannedChange[] {
  const plan = valuesOf(preset, read);
  return CLAUSES.flatMap(({ wishes = [] }) => wishes).flatMap((wish) => {
    const { setting } = wish;
    if (!Object.hasOwn(plan, setting)) return [];
    return [
      {
        name: setting,
        label: labelOf(setting, language),
        from: valueText(wish, read(setting), language),
        to: valueText(wish, plan[setting], language),
      },
    ];
  });
}

/** Returns a preset with its changes and the state of each clause. */
export function presetReport(
  preset: (typeof PRESETS)[number],
  evidence: Evidence,
  locale: Locale,
): PresetReport {
  const { name, title, note } = preset;
  const { language } = locale;
  return {
    name,
    title: say(title, language),
    note: say(note, language),
    values: valuesOf(name, evidence.read),
    changes: changesOf(name, evidence.read, language),
    clauses: CLAUSES.map((clause) => clauseReport(clause, name, evidence, locale)).filter(
      // Clauses of the standard without any proof concern its own preset only.
      ({ state }) => state !== 'outside' || name === 'mlps3',
    ),
  };
}
