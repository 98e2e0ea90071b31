import { language } from '../i18n/index.ts';

/** The name of a country by its code, in the language of the user. */
export function countryName(code: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}
