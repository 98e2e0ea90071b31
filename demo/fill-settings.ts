import type { Tx } from '../server/src/platform/db/database.ts';
import { sql } from '../server/src/platform/db/sql.ts';
import { inLanguage } from './language.ts';

const SETTINGS = {
  SIGN_IN_NOTICE:
    '仅限授权人员使用。所有操作均会被记录。\nAuthorised use only. All activity is recorded.',
  ANNOUNCEMENT: '本周日 02:00–04:00 网络维护 · Network maintenance on Sunday, 02:00–04:00',
  ANNOUNCEMENT_LEVEL: 'info',
  WATERMARK: 'light',
  TERMINAL_RECORDING_INDEX: 'plain',
  ANNOUNCEMENT_LINK: 'https://status.example.com/maintenance',
};

/**
 * Stores a text before sign-in, an announcement that visitors can close, a watermark, and switches
 * the screen search on.
 */
export async function fillSettings(tx: Tx): Promise<void> {
  for (const [name, value] of Object.entries(inLanguage(SETTINGS)))
    await sql`insert into setting (name, value) values (${name}, ${JSON.stringify(value)}::jsonb)
      on conflict (name) do nothing`.execute(tx);
  await sql`select pg_notify('settings', '')`.execute(tx);
}
