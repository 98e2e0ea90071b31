import type { alert, LocalText, Row } from '@sallyport/contract';
import { countryName } from '../../../kit/format/country.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

export type Alert = Row<typeof alert>;

const SENTENCES: Readonly<Record<Alert['kind'], LocalText>> = {
  new_network: words.newNetwork,
  new_country: words.newCountry,
  unusual_hour: words.unusualHour,
  first_use: words.firstUse,
  many_denials: words.denials,
  recovered: words.recovered,
  lost_changes: words.lost,
  reused_token: words.reusedToken,
};

/** Says in one sentence what happened. */
export function sentenceOf({ kind, user, subject, remote_addr: address, amount }: Alert): string {
  const isAddress = user === '' || user === subject || user === `${subject}(${subject})`;
  const sentence = kind === 'many_denials' && isAddress ? words.denialsFrom : SENTENCES[kind];
  return t(sentence, {
    user: user.replace(/ ?\([^()]*\)$/, ''),
    subject: kind === 'new_country' ? countryName(subject) : subject,
    address,
    count: amount ?? 0,
  });
}
