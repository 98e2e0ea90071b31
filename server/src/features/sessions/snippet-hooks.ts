import { snippet } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';

/** Snippets per user. */
export const MOST_SNIPPETS = 200;

/** Rejects keys such as Ctrl+C or Escape, which would act when the snippet is inserted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const KEYS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** The hooks of snippets: text without control characters, and a limit per user. */
export const snippetHooks = hooksFor(snippet, {
  beforeSave({ content }) {
    if (content !== undefined && KEYS.test(content)) throw invalid('content', 'control_character');
  },
  async afterSave(saved, { caller, tx }) {
    if (saved.every(({ previous }) => previous !== undefined)) return;
    const { userId } = caller.actor;
    // The lock prevents parallel requests from exceeding the limit together.
    await sql`select 1 from account where id = ${userId} for update`.execute(tx);
    const { rows } = await sql<{
      count: number;
    }>`select count(*)::int as count from snippet where user_id = ${userId}`.execute(tx);
    if ((rows[0]?.count ?? 0) > MOST_SNIPPETS)
      throw invalid('non_field_errors', 'snippet_limit', { max: MOST_SNIPPETS });
  },
});
