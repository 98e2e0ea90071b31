import type { Duplex } from 'node:stream';
import { say } from '@sallyport/contract';
import { type Connection, DisconnectReason, endConnection } from '@sallyport/ssh';
import { guardBacklog } from '../../protocols/ssh/backpressure.ts';
import { closeSoon } from './close-soon.ts';
import { words } from './words.ts';

/**
 * Ends the connection of a client that keeps sending requests and reads no answers. The text
 * follows the unread answers. `onExceeded` runs first.
 */
export function guardAnswers(
  stream: Duplex,
  connection: () => Connection,
  { onExceeded, max }: { readonly onExceeded?: () => void; readonly max?: number } = {},
): void {
  const end = () => {
    onExceeded?.();
    const text = say(words.readsNothing, 'en');
    endConnection(connection(), DisconnectReason.byApplication, text);
    closeSoon(stream);
  };
  guardBacklog(stream, end, max);
}
