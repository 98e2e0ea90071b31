import { snippet } from '@sallyport/contract';
import { sql } from 'kysely';
import { invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';

/** More than anybody finds again. */
export const MOST_SNIPPETS = 200;

/** A key such as Ctrl+C or Escape is no text: it would act when the snippet is inserted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const KEYS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** The hooks of snippets: text only, and not without end. */
export const snippetHooks = hooksFor(snippet, {
  beforeSave({ content }) {
    if (content !== undefined && KEYS.test(content)) throw invalid('content', 'control_character');
  },
  async afterSave(saved, { caller, tx }) {
    if (saved.every(({ previous }) => previous !== undefined)) return;
    const { userId } = caller.actor;
    // One after the other, so that many requests at once do not pass the limit together.
    await sql`select 1 from account where id = ${userId} for update`.execute(tx);
    const { rows } = await sql<{
      count: number;
    }>`select count(*)::int as count from snippet where user_id = ${userId}`.execute(tx);
    if ((rows[0]?.count ?? 0) > MOST_SNIPPETS)
      throw invalid('non_field_errors', 'snippet_limit', { max: MOST_SNIPPETS });
  },
});
