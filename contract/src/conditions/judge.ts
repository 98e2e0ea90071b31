import type { LocalText } from '../kit/text.ts';
import {
  both,
  type Circumstances,
  type ConditionTerms,
  hoursOf,
  join,
  limitOf,
  networksPart,
  type Part,
  partsOf,
  readable,
  timeParts,
  UNREADABLE,
} from './terms.ts';
import { nextHoursChange } from './week-hours.ts';

const limited = ({ isExcluded, text }: Part): LocalText =>
  isExcluded ? both(`not ${text.en}`, `不含${text.zh}`) : text;

/** Describes a condition: `Office (10.0.0.0/8); Mon–Fri 08:00–18:00 Asia/Shanghai`. */
export function conditionSentence(terms: ConditionTerms): LocalText {
  const known = readable(terms);
  return known ? join(partsOf(known).map(limited), '; ', '；') : UNREADABLE;
}

function failureOf({ isExcluded, text, refusal }: Part): LocalText {
  return isExcluded
    ? both(`${refusal.en}: except ${text.en}`, `${refusal.zh}：除${text.zh}以外`)
    : both(`${refusal.en}: only ${text.en}`, `${refusal.zh}：仅限${text.zh}`);
}

/** Returns the parts that do not hold; undefined if the condition is unreadable. */
function failedParts(terms: ConditionTerms, circumstances: Circumstances) {
  const known = readable(terms);
  return (
    known &&
    partsOf(known).filter((part) => {
      const holds = part.holds(circumstances);
      return holds === undefined ? !part.isLeftToCaller : holds === part.isExcluded;
    })
  );
}

/**
 * Returns the reasons why a condition does not hold: `not now: only Mon–Fri 08:00–18:00 UTC`. Empty
 * if it holds. An unreadable condition never holds. A second factor of unknown time counts as
 * holding: the caller checks it.
 */
export const failuresOf = (terms: ConditionTerms, at: Circumstances): readonly LocalText[] =>
  failedParts(terms, at)?.map(failureOf) ?? [UNREADABLE];

/** Returns the fields of the parts that do not hold. */
export const failedFields = (terms: ConditionTerms, at: Circumstances) =>
  failedParts(terms, at)?.map(({ field }) => field) ?? [];

/**
 * Returns true if a condition holds; undefined if it is unreadable or depends on an unknown
 * circumstance.
 */
export function conditionHolds(
  terms: ConditionTerms,
  circumstances: Circumstances,
): boolean | undefined {
  const known = readable(terms);
  if (!known) return undefined;
  const values = partsOf(known).map((part) => {
    const holds = part.holds(circumstances);
    return holds === undefined ? undefined : holds !== part.isExcluded;
  });
  if (values.includes(false)) return false;
  return values.includes(undefined) ? undefined : true;
}

/** `failuresOf` for hours and period, and networks if the address is known. */
export function timeFailuresOf(
  terms: ConditionTerms,
  now: number,
  address: string | null = null,
): readonly LocalText[] {
  const known = readable(terms);
  if (!known) return [UNREADABLE];
  const moment: Circumstances = { address, client: null, now };
  return [...(address === null ? [] : [networksPart(known)]), ...timeParts(known)]
    .filter((part) => part.isSet && part.holds(moment) === part.isExcluded)
    .map(failureOf);
}

/** Returns the next time (ms) at which the hours or the period may change, or infinity. */
export function nextConditionChange(terms: ConditionTerms, now: number): number {
  const known = readable(terms);
  if (!known) return Number.POSITIVE_INFINITY;
  const limits = [known.valid_from, known.valid_until]
    .map((text) => limitOf(text, Number.POSITIVE_INFINITY))
    .filter((limit) => limit > now);
  const hours = hoursOf(known);
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...limits,
    ...(hours.length > 0 ? [nextHoursChange(hours, known.time_zone, now)] : []),
  );
}
