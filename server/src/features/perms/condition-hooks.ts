import {
  type ConditionTerms,
  condition,
  conditionSentence,
  network,
  say,
} from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';

export const networkHooks = hooksFor(network, {});

/** Hooks of conditions: the period has an order, and rows say what they mean. */
export const conditionHooks = hooksFor(condition, {
  async present(rows, { caller, db }) {
    const { rows: known } = await sql<{ id: string; terms: ConditionTerms }>`
      select c.id, condition_terms(c.id) as terms from condition c
      where c.id = any (${rows.map(({ id }) => String(id))}::uuid[])`.execute(db);
    const terms = new Map(known.map((row) => [row.id, row.terms]));
    for (const row of rows) {
      const own = terms.get(String(row.id));
      row.sentence = own ? say(conditionSentence(own), caller.language) : '';
    }
  },
  beforeSave(values, previous) {
    const { valid_from: from, valid_until: until } = { ...previous, ...values };
    if (from && until && until <= from) throw invalid('valid_until', 'date_order');
  },
});
