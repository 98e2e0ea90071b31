import { boolean, text } from '../kit/field.ts';
import type { TextFormat } from '../kit/field-kinds.ts';
import type { LocalText } from '../kit/text.ts';

/** The label of a setting, in both languages. */
export const label = (en: string, zh: string): { label: LocalText } => ({ label: { en, zh } });
/** What a setting is for, in both languages. */
export const help = (en: string, zh: string): { help: LocalText } => ({ help: { en, zh } });

/** A text that may be left blank. */
export const optional = (
  name: { label: LocalText },
  max: number,
  more: { help?: LocalText; multiline?: boolean; format?: TextFormat } = {},
) => text({ ...name, ...more, max, required: false, defaultValue: '' });
/** A switch that may be left out. */
export const flag = (
  name: { label: LocalText },
  defaultValue: boolean,
  more: { help?: LocalText } = {},
) => boolean({ ...name, ...more, required: false, defaultValue });
