import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery, JournalOptions } from './journal-types.ts';
import { writeRecord } from './records.ts';

/** File of entries that the destination rejected. */
const REFUSED = 'refused';

/**
 * Delivers entries. After a final error, offers each entry alone, so that a rejected one does not
 * block the others. @throws if the destination fails
 */
export async function offer<Entry>(
  { destination, folder, log, sealer }: JournalOptions<Entry>,
  delivery: Delivery<Entry>,
): Promise<void> {
  try {
    await destination.take(delivery);
  } catch (error) {
    if (!destination.isFinal(error)) throw error;
    let { from } = delivery;
    for (const placed of delivery.entries) {
      const alone = { ...delivery, from, to: placed.end, entries: [placed] };
      from = placed.end;
      await destination.take(alone).catch(async (refusal: unknown) => {
        if (!destination.isFinal(refusal)) throw refusal;
        log.error(
          { segment: delivery.segment, position: placed.end, err: refusal },
          `the database refused an entry of the journal; it is kept in the file ${REFUSED}`,
        );
        await appendFile(join(folder, REFUSED), writeRecord(placed.entry, sealer), {
          mode: 0o600,
          flush: true,
        });
        await destination.take({ ...alone, entries: [] });
      });
    }
    if (from < delivery.to) await destination.take({ ...delivery, from, entries: [] });
  }
}
