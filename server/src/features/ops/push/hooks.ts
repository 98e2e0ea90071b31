import { type LocalText, say, systemUserPush } from '@sallyport/contract';
import { sql } from '../../../platform/db/sql.ts';
import { hooksFor } from '../../../resources/hooks.ts';

/** Hooks of push results, which are also searched by their assets. */
export const pushHooks = hooksFor(systemUserPush, {
  columns: {
    // After a change, earlier results are stale: show them as waiting.
    state: () => sql`case when exists (select 1 from system_user_push_wanted w
        where w.system_user_id = t.system_user_id
      and w.asset_id is null and w.node_id is null and w.username is null) then 'waiting'
        else t.state end`,
    reason_text: () => sql`json_build_array(t.reason, t.detail)`,
  },
  search: (words) =>
    sql`t.asset_id in (select a.id from asset a where ${sql.join(
      words.map((word) => sql`strpos(a.search_text, ${word}) > 0`),
      sql` and `,
    )})`,
  present(rows, { caller: { language } }) {
    for (const row of rows) {
      if (!('reason_text' in row)) continue;
      const [reason, detail] = (row.reason_text ?? [null, '']) as [LocalText | null, string];
      row.reason_text = [sentence(reason ? say(reason, language) : ''), detail]
        .filter((text) => text !== '')
        .join(' — ');
    }
  },
});

/** Log texts follow a colon; here they start a sentence. */
const sentence = (text: string) =>
  text.replace(
    /^(?:its?|the|no|auto|accounts)\b/,
    (word) => word.charAt(0).toUpperCase() + word.slice(1),
  );
