import { expect, it } from 'vitest';
import { openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { createLog } from '../platform/log.ts';
import { createUndo } from './lifetime.ts';

it('logs a failed step as an error, but not a query after the database was closed', async () => {
  const lines: string[] = [];
  const undo = createUndo(createLog('debug', { write: (line) => void lines.push(line) }));
  const database = openDatabase('postgresql://127.0.0.1:1/none', 1);
  const query = () => sql`select 1`.execute(database.db);
  await expect(query()).rejects.toThrow('ECONNREFUSED');
  let isLast = false;
  undo.add(() => {
    isLast = true;
  });
  undo.add(query);
  undo.add(() => Promise.reject(new Error('a real failure')));
  await database.close();
  await undo.run();
  expect(isLast).toBe(true);
  expect(lines).toEqual([expect.stringContaining('a real failure')]);
});
