import { sql } from 'kysely';
import type { PgBoss } from 'pg-boss';
import type { Vault } from '../crypto/vault.ts';
import type { Db } from '../db/database.ts';
import { type JobDefinition, SERVER_CALLER } from './definition.ts';
import { wrap } from './envelope.ts';
import { isSameRule, storedSchedule } from './schedule.ts';

/** Makes the queue's schedules those of the definitions. */
export async function applySchedules(definitions: Iterable<JobDefinition>, { boss, db, vault }: { boss: PgBoss; db: Db; vault: Vault }): Promise<void> {
  const stored = new Map((await boss.getSchedules()).map((schedule) => [schedule.name, schedule]));
  for (const definition of definitions) {
    const wished = definition.schedule?.();
    const present = stored.get(definition.name);
    stored.delete(definition.name);
    if (!wished) {
      if (present) await boss.unschedule(definition.name);
      continue;
    }
    const { rows } = await sql<{ last: Date | null }>`select max(date_started) as last from job where name = ${definition.name}`.execute(db);
    const { expression, zone, missed } = storedSchedule(wished, rows[0]?.last ?? new Date());
    // An interval that is already counted goes on counting.
    if (present && isSameRule(present.cron, expression) && present.timezone === zone) continue;
    await boss.schedule(definition.name, expression, wrap(vault, definition, null, SERVER_CALLER, ''), {
      tz: zone,
      missed,
      ...(definition.overlap === 'dropped' && { singletonKey: definition.name }),
    });
  }
  for (const name of stored.keys()) await boss.unschedule(name);
}
