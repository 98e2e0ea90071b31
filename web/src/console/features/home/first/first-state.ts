import { SETTING_CATEGORIES } from '@sallyport/contract';
import { timeZone } from '../../../../kit/api.ts';
import { language } from '../../../../kit/i18n/index.ts';

const { SERVER_LANGUAGE, SERVER_TIME_ZONE } = SETTING_CATEGORIES.basic.fields;

/** Numbers of the objects that a first session needs. */
export interface FirstCounts {
  readonly servers: number;
  readonly accounts: number;
  readonly rules: number;
  readonly sessions: number;
}

/** Returns true if no object exists for a first session. */
export const isEmpty = ({ servers, accounts, rules }: FirstCounts): boolean =>
  servers === 0 && accounts === 0 && rules === 0;

export type Basic = Readonly<Record<string, unknown>>;

/**
 * Returns true if language and zone of the server are those of this browser, or an administrator
 * has chosen others.
 */
export const isSetUp = (basic: Basic): boolean =>
  (basic.SERVER_LANGUAGE === language && basic.SERVER_TIME_ZONE === timeZone()) ||
  basic.SERVER_LANGUAGE !== SERVER_LANGUAGE.defaultValue ||
  basic.SERVER_TIME_ZONE !== SERVER_TIME_ZONE.defaultValue;
