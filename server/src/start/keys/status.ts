import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { readDataKeys } from '../../platform/crypto/data-keys.ts';
import { readMasterKeys } from '../../platform/crypto/master-key.ts';
import { describeSm2Keys } from '../../platform/crypto/sm2-keys.ts';
import { PURPOSES } from '../../platform/crypto/vault.ts';
import { countSealedFiles } from '../../platform/storage/sealed/count-sealed-files.ts';
import { withDatabase } from '../with-database.ts';
import { countSealed } from './sealed-columns.ts';

/** Describes master keys and data keys, and the values that wait for a rotation to end. */
export async function describeKeys(config: Config): Promise<string> {
  const masters = await readMasterKeys(config);
  return withDatabase(config, async ({ db }) => {
    const rows = await readDataKeys(db);
    const counts = await countSealed(db);
    const recordings = await sealedRecordings(config);
    const active = rows.find(({ purpose, state }) => purpose === 'secrets' && state === 'active');
    const lines = masters.flatMap(({ id, bytes }, index) => {
      const wrapped = rows.filter(({ master_id: master }) => master === id).length;
      // A service keeps each version; those of earlier rotations are only for old backups.
      if (index > 0 && wrapped === 0 && !bytes) return [];
      return `master key ${id}${index === 0 ? '' : ' (before a rotation)'}: wraps ${wrapped} data keys`;
    });
    for (const purpose of PURPOSES)
      for (const row of rows.filter((one) => one.purpose === purpose)) {
        const use =
          purpose === 'secrets'
            ? `, ${counts.get(row.id) ?? 0} values`
            : purpose === 'recordings'
              ? `, ${recordings.get(row.id) ?? 0} recordings in this data folder`
              : '';
        const date = row.date_created.toISOString();
        lines.push(
          `${purpose} ${row.id}: ${row.state}, of ${date}, wrapped by ${row.master_id}${use}`,
        );
      }
    for (const [index, { fingerprint, date }] of (await describeSm2Keys(db)).entries())
      lines.push(
        `SM2 key ${fingerprint}: ${index === 0 ? 'active' : 'retired'}, of ${date.toISOString()}`,
      );
    const waiting = [...counts].filter(([id]) => id !== active?.id);
    const sum = waiting.reduce((total, [, count]) => total + count, 0);
    lines.push(`values that wait to be sealed again: ${sum}`);
    return `${lines.join('\n')}\n`;
  });
}

/** Counts the sealed recordings on the disk of this server by the id of their data key. */
export async function sealedRecordings(config: Config): Promise<ReadonlyMap<string, number>> {
  const folder = join(config.dataDirectory, 'recordings');
  // The command creates no folder.
  return existsSync(folder) ? countSealedFiles(folder) : new Map();
}
