import type { AttentionKind } from '@sallyport/contract';
import type { Caller } from '../platform/actor.ts';
import { invalid } from '../platform/errors.ts';
import type { Sql } from './hooks.ts';

/** The conditions, over alias `t`, on rows of one resource that need attention, by what they need. */
export type InNeed = Readonly<
  Partial<Record<AttentionKind, (caller: Pick<Caller, 'actor'>) => Sql>>
>;

/** The filter `attention` of a list: exactly the rows that the start page counts. @throws Invalid for what its rows cannot need */
export const attentionFilter =
  (kinds: InNeed) =>
  (value: string, caller: Caller): Sql => {
    const condition = new Map(Object.entries(kinds)).get(value);
    if (!condition) throw invalid('attention', 'not_choice', { value: value.slice(0, 64) });
    return condition(caller);
  };
