import { SETTING_CATEGORIES } from '@sallyport/contract';
import { timeZone } from '../../../../kit/api.ts';
import { language } from '../../../../kit/i18n/index.ts';
import { isLoopback } from '../../site/index.ts';

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
 * Returns true if an administrator has chosen language and zone of the server, or both are those of
 * this browser. Links in mails must not begin with an address of the server alone, either, if the
 * console is open at another one: `here`; undefined if the operator has fixed the address.
 */
export const isSetUp = (basic: Basic, here: string | undefined): boolean =>
  ((basic.SERVER_LANGUAGE === language && basic.SERVER_TIME_ZONE === timeZone()) ||
    basic.SERVER_LANGUAGE !== SERVER_LANGUAGE.defaultValue ||
    basic.SERVER_TIME_ZONE !== SERVER_TIME_ZONE.defaultValue) &&
  (here === undefined || isLoopback(here) || !isLoopback(String(basic.SITE_URL ?? '')));
