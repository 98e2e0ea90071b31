import {
  conditionSentence,
  failedFields,
  type SignInRule,
  say,
  signInRefusals,
  signInRule,
  termsOfSignIn,
} from '@sallyport/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import { hooksFor, type Operation } from '../../../resources/hooks.ts';
import { joinReasons } from '../../perms/index.ts';
import { rulesOf, signInCircumstances } from './store.ts';

/** Rejects rules that name no account. @throws Invalid */
async function assertNamed(ids: readonly string[], tx: Tx): Promise<void> {
  const { rows } = await sql`
    select from sign_in_rule rule where rule.id = any (${ids}::uuid[])
      and not rule.everyone and rule.roles = 0
      and not exists (select from sign_in_rule_users link where link.sign_in_rule_id = rule.id)
      and not exists (
        select from sign_in_rule_user_groups link where link.sign_in_rule_id = rule.id)
    limit 1`.execute(tx);
  if (rows.length > 0) throw invalid('everyone', 'sign_in_rule_nobody');
}

/** Rejects rules that would refuse the author's sign-in from here and now. @throws Invalid */
async function assertStaysIn({ caller: { actor }, tx }: Operation): Promise<void> {
  const { kind } = actor.session;
  if (kind === 'system') return;
  const circumstances = signInCircumstances(actor.remoteAddress, kind);
  const rules = await rulesOf(actor.userId, tx);
  const refusing = rules.find((rule) => signInRefusals([rule], circumstances, true).length > 0);
  if (!refusing) return;
  const [field = 'everyone'] = failedFields(termsOfSignIn(refusing), circumstances);
  const reason = joinReasons(signInRefusals([refusing], circumstances, true));
  throw invalid(field, 'sign_in_rule_own', { name: refusing.name, reason });
}

/** The hooks of sign-in rules: each names accounts, and none locks out its author. */
export const signInRuleHooks = hooksFor(signInRule, {
  wholeLinks: ['users', 'user_groups'],
  async present(rows, { caller, db }) {
    const { rows: known } = await sql<{ id: string; rule: SignInRule }>`
      select t.id, to_jsonb(t) as rule from sign_in_rule t
      where t.id = any (${rows.map(({ id }) => String(id))}::uuid[])`.execute(db);
    const rules = new Map(known.map(({ id, rule }) => [id, rule]));
    for (const row of rows) {
      const rule = rules.get(String(row.id));
      row.sentence = rule ? say(conditionSentence(termsOfSignIn(rule)), caller.language) : '';
    }
  },
  beforeSave(values, previous) {
    const { valid_from: from, valid_until: until } = { ...previous, ...values };
    if (from && until && until <= from) throw invalid('valid_until', 'date_order');
  },
  async afterSave(saved, operation) {
    await assertNamed(
      saved.map(({ id }) => id),
      operation.tx,
    );
    await assertStaysIn(operation);
  },
});
