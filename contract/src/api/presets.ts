import type { LocalText } from '../kit/text.ts';

/** Sets of settings for an installation, the weakest first; each contains the wishes before it. */
export const PRESETS = [
  {
    name: 'team',
    title: { en: 'Team', zh: '团队' },
    note: {
      en: 'For a few people who know each other: safe defaults, verified backups, no new duties.',
      zh: '适合相互熟悉的小团队：安全的默认值和经过校验的备份，不增加额外职责。',
    },
    keepDays: 0,
  },
  {
    name: 'company',
    title: { en: 'Company', zh: '企业' },
    note: {
      en: 'For companies with auditors: a second factor for everyone, 180 days of records, encrypted recordings.',
      zh: '适合有审计要求的企业：全员双重认证，记录保存 180 天，录像加密。',
    },
    keepDays: 180,
  },
  {
    name: 'mlps3',
    title: { en: 'MLPS level 3 (等保三级)', zh: '等保三级' },
    note: {
      en: 'GB/T 22239-2019, level 3, clauses 8.1.4 and 8.1.5: the parts that Sallyport can support.',
      zh: 'GB/T 22239-2019 第三级 8.1.4 与 8.1.5 中本系统可支撑的部分。',
    },
    keepDays: 180,
  },
] as const satisfies readonly {
  readonly name: string;
  readonly title: LocalText;
  readonly note: LocalText;
  /** Days that audit logs, sessions and recordings are kept at least while the preset is on. */
  readonly keepDays: number;
}[];

export type PresetName = (typeof PRESETS)[number]['name'];

/** Returns the days that a preset keeps audit logs and sessions at least. */
export const keepDaysOf = (preset: string): number =>
  PRESETS.find(({ name }) => name === preset)?.keepDays ?? 0;

/** A setting that a preset changes, with texts in the language of the caller. */
export interface PlannedChange {
  readonly name: string;
  readonly label: string;
  readonly from: string;
  readonly to: string;
}

/** A setting that proves a clause, or a fact that the server reads from its data. */
export interface ClauseProof {
  /** Name of the setting; empty for a fact. */
  readonly setting: string;
  readonly label: string;
  readonly value: string;
  readonly wanted: string;
  readonly met: boolean;
}

export interface ClauseReport {
  /** Clause of the standard, such as 8.1.4.1 a. */
  readonly reference: string;
  readonly title: string;
  /** `outside`: nothing that the server could prove. */
  readonly state: 'met' | 'gap' | 'outside';
  readonly proofs: readonly ClauseProof[];
  /** The mechanism of the program that needs no setting; may be empty. */
  readonly built_in: string;
  /** The part that the organization must do and the product cannot prove; may be empty. */
  readonly organization: string;
}

/** Values by name of the setting. */
export type SettingValues = Readonly<Record<string, unknown>>;

export interface PresetReport {
  readonly name: PresetName;
  readonly title: string;
  readonly note: string;
  /** The settings to change with their wanted values, as a change set proposes them. */
  readonly values: SettingValues;
  /** Settings that differ from the preset. For the active one: drift. */
  readonly changes: readonly PlannedChange[];
  readonly clauses: readonly ClauseReport[];
}

/** GET settings/presets/. POST {preset} applies one; POST settings/presets/undo/ takes it back. */
export interface CompliancePresets {
  readonly active: PresetName | '';
  /** The newest change of the preset; null if none can be undone. */
  readonly undo: {
    readonly date: string;
    readonly user: string;
    readonly preset: string;
    /** Earlier values of the settings that were not changed since. */
    readonly values: SettingValues;
  } | null;
  readonly presets: readonly PresetReport[];
}
