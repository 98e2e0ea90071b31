import { join } from 'node:path';
import type { LocalText } from '@sallyport/contract';
import type { Config } from '../../config.ts';
import { createCommandIndexes, storagesToTry } from '../../features/sessions/index.ts';
import { bucketsToTry, recordingsOnDisks, remarksOn } from '../../features/storages/index.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { openLocalRecordings } from '../../platform/storage/local-storage.ts';
import { type Finding, fine, problem, reasonOf, warning } from './finding.ts';

interface Trial {
  readonly check: string;
  readonly name: string;
  /** Tests the storage. Returns remarks on it. */
  readonly run: () => Promise<readonly LocalText[]>;
  readonly page: string;
}

async function resultOf({ check, name, run, page }: Trial): Promise<Finding> {
  try {
    const remarks = await run();
    const result = `The storage ${name} keeps, gives back and deletes`;
    return fine(check, [result, ...remarks.map(({ en }) => en)].join('. '));
  } catch (error) {
    return problem(
      check,
      `The storage ${name} does not work: ${reasonOf(error)}`,
      `Correct it: ${page}`,
    );
  }
}

/** Checks that the recordings of several servers do not depend on the disk of one. */
export async function examineRecordingHomes(db: Db): Promise<Finding[]> {
  const names = await recordingsOnDisks(db);
  if (names.length === 0) return [];
  return [
    warning(
      'recording-storages',
      `Recordings of these servers are on their own disks only: ${names.join(', ')}. The loss of a server loses its recordings`,
      'Choose a place once, in the menu of a row under System > Replay storages: Use for all servers. It tests a bucket first; "default" keeps recordings on the disks',
    ),
  ];
}

/** Tests each storage of recordings and commands with a small object. */
export async function examineStorages(db: Db, vault: Vault, config: Config): Promise<Finding[]> {
  const recordings = await openLocalRecordings(join(config.dataDirectory, 'recordings'));
  const indexes = createCommandIndexes(vault);
  const trials: Trial[] = [
    ...(await bucketsToTry(db, vault)).map(({ name, bucket }) => ({
      check: 'recording-storages',
      name,
      run: async () => remarksOn(await recordings.tryOut(bucket())),
      page: 'Settings > Terminal > Recording storages',
    })),
    ...(await storagesToTry(db)).map((row) => ({
      check: 'command-storages',
      name: row.name,
      run: async () => {
        await indexes.of(row).tryOut();
        return [];
      },
      page: 'Settings > Terminal > Command storages',
    })),
  ];
  const findings: Finding[] = [];
  for (const trial of trials) findings.push(await resultOf(trial));
  return findings;
}
