import type { AttentionKind } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';

/** Conditions (over alias `t`) for rows of one resource that need attention, by kind. */
export type AttentionConditions = Readonly<
  Partial<Record<AttentionKind, (caller: Pick<Caller, 'actor'>) => Sql>>
>;

/**
 * The list filter `attention`; it matches the rows that the start page counts. @throws Invalid for
 * a kind that the resource does not have
 */
export const attentionFilter =
  (kinds: AttentionConditions) =>
  (value: string, caller: Caller): Sql => {
    const condition = new Map(Object.entries(kinds)).get(value);
    if (!condition) throw invalid('attention', 'not_choice', { value: value.slice(0, 64) });
    return condition(caller);
  };
