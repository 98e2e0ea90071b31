import { type PresetName, SETTING_FIELDS, type Settings } from '@sallyport/contract';

type Value = string | number | boolean;

/**
 * The direction in which a setting becomes stronger. `capped`: smaller is stronger, and 0 means no
 * limit.
 */
type Direction = 'larger' | 'smaller' | 'capped' | 'exact' | 'later_choice' | 'any_text';

/** The values of a setting that the presets want at least. A preset without a value wants none. */
export interface Wish {
  readonly setting: keyof Settings;
  readonly direction: Direction;
  readonly unit?: Unit;
  readonly values: Readonly<Partial<Record<PresetName, Value>>>;
}

export const UNITS = {
  minutes: { en: '{count} min', zh: '{count} 分钟' },
  hours: { en: '{count} h', zh: '{count} 小时' },
  days: { en: '{count} d', zh: '{count} 天' },
} as const;
type Unit = keyof typeof UNITS;

/** A switch that a preset and all stronger ones want on, or off. */
const switched = (setting: keyof Settings, value: boolean, from: PresetName): Wish => ({
  setting,
  direction: 'exact',
  values: {
    ...(from === 'team' && { team: value }),
    ...(from !== 'mlps3' && { company: value }),
    mlps3: value,
  },
});
export const on = (setting: keyof Settings, from: PresetName): Wish =>
  switched(setting, true, from);
export const off = (setting: keyof Settings, from: PresetName): Wish =>
  switched(setting, false, from);

type Values = Wish['values'];
export const atLeast = (setting: keyof Settings, values: Values, unit?: Unit): Wish => ({
  setting,
  direction: 'larger',
  values,
  ...(unit && { unit }),
});
export const atMost = (setting: keyof Settings, values: Values, unit?: Unit): Wish => ({
  setting,
  direction: 'smaller',
  values,
  ...(unit && { unit }),
});
/** At most, where 0 means no limit. */
export const capped = (setting: keyof Settings, values: Values, unit?: Unit): Wish => ({
  setting,
  direction: 'capped',
  values,
  ...(unit && { unit }),
});
/** A choice whose later values are stronger. */
export const fromChoice = (setting: keyof Settings, values: Values): Wish => ({
  setting,
  direction: 'later_choice',
  values,
});
export const anyText = (setting: keyof Settings, values: Values): Wish => ({
  setting,
  direction: 'any_text',
  values,
});

function placeOf(setting: keyof Settings, value: unknown): number {
  const field = SETTING_FIELDS.get(setting);
  return field?.kind === 'choice' ? field.choices.findIndex((one) => one.value === value) : -1;
}

/** Returns true if a value is as strong as the wanted one, or stronger. */
export function isMet({ setting, direction }: Wish, value: unknown, wish: Value): boolean {
  switch (direction) {
    case 'larger':
      return Number(value) >= Number(wish);
    case 'smaller':
      return Number(value) <= Number(wish);
    case 'capped':
      return Number(value) > 0 && Number(value) <= Number(wish);
    case 'exact':
      return value === wish;
    case 'later_choice':
      return placeOf(setting, value) >= placeOf(setting, wish);
    case 'any_text':
      return String(value ?? '').trim() !== '';
  }
}
