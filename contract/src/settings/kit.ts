import { boolean, text } from '../kit/field.ts';
import type { TextFormat } from '../kit/field-kinds.ts';
import type { LocalText } from '../kit/text.ts';

/** A period from this number of days has no end. */
export const FOREVER_DAYS = 9999;

export const label = (en: string, zh: string): { label: LocalText } => ({ label: { en, zh } });
export const help = (en: string, zh: string): { help: LocalText } => ({ help: { en, zh } });

/** A text that may be blank. */
export const optional = (
  name: { label: LocalText },
  max: number,
  more: { help?: LocalText; multiline?: boolean; format?: TextFormat; isService?: true } = {},
) => text({ ...name, ...more, max, required: false, defaultValue: '' });
/** An optional switch. */
export const flag = (
  name: { label: LocalText },
  defaultValue: boolean,
  more: { help?: LocalText } = {},
) => boolean({ ...name, ...more, required: false, defaultValue });
