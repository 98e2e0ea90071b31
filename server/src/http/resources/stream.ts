import { Readable } from 'node:stream';
import { Unavailable } from '../../platform/errors.ts';
import type { Context } from '../context.ts';

/** An answer that is written while its rows are read. */
export async function streamedAnswer<Row>(
  { reply }: Pick<Context, 'reply'>,
  batches: AsyncGenerator<Row[]>,
  write: (batches: AsyncGenerator<Row[]>) => AsyncGenerator<string | Uint8Array>,
): Promise<Readable> {
  // What is asked wrongly comes to light with the first rows; once the answer has begun, it could only be broken off.
  const first = await batches.next();
  if (reply.sent) {
    // A timeout error was already sent instead, so the answer would never be read.
    await batches.return(undefined);
    throw new Unavailable('timeout');
  }
  const all = async function* () {
    for (let batch = first; !batch.done; batch = await batches.next()) yield batch.value;
  };
  const answer = Readable.from(write(all()));
  // However it ends, also before its first line: the query ends with it.
  answer.once('close', () => void batches.return(undefined));
  return answer;
}
