import { Readable } from 'node:stream';
import { Unavailable } from '../../platform/errors.ts';
import type { Context } from '../context.ts';

/** Streams an answer while its rows are read. */
export async function streamedAnswer<Row>(
  { reply }: Pick<Context, 'reply'>,
  batches: AsyncGenerator<Row[]>,
  write: (batches: AsyncGenerator<Row[]>) => AsyncGenerator<string | Uint8Array>,
): Promise<Readable> {
  // Read the first batch before answering: bad requests fail here, while a status can still be
  // sent.
  const first = await batches.next();
  if (reply.sent) {
    // The client already received a timeout error, so do not read on.
    await batches.return(undefined);
    throw new Unavailable('timeout');
  }
  const all = async function* () {
    for (let batch = first; !batch.done; batch = await batches.next()) yield batch.value;
  };
  const answer = Readable.from(write(all()));
  // End the query with the answer, even if it closes before its first line.
  answer.once('close', () => void batches.return(undefined));
  return answer;
}
