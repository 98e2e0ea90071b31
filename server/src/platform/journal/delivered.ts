import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stored } from './journal-types.ts';
import type { DeliveredPlace } from './segments.ts';

/** File of the newest delivered place. */
const FILE = 'delivered';

/** The newest delivered place, and the epoch of the destination at that time. */
export interface Delivered extends Pick<Stored, 'epoch'> {
  readonly place?: DeliveredPlace;
}

/** Reads what an earlier process has delivered; undefined if it left no readable note. */
export async function readDelivered(folder: string): Promise<Delivered | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, FILE), 'utf8')) as Delivered;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return undefined;
    throw error;
  }
}

/** Notes the delivered place. A failure is ignored: the next start then knows less. */
export async function writeDelivered(
  folder: string,
  epoch: string | undefined,
  place: DeliveredPlace | undefined,
): Promise<void> {
  if (epoch === undefined) return;
  const path = join(folder, FILE);
  const delivered: Delivered = { epoch, ...(place && { place }) };
  await writeFile(`${path}.new`, JSON.stringify(delivered), { mode: 0o600 })
    .then(() => rename(`${path}.new`, path))
    .catch(() => undefined);
}
