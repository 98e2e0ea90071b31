import type { Client } from '../../../platform/ssh/ssh2.ts';
import { encodeName } from '../../sessions/files/names.ts';

/** Runs a command with the bytes that the client sent, also where they are no UTF-8. */
export function runCommand(
  client: Client,
  command: string,
  ...rest: readonly [options: object, opened: unknown]
): void {
  // The library takes bytes as well, though its types do not say so.
  Reflect.apply(client.exec, client, [
    command.isWellFormed() ? command : encodeName(command, 'utf8'),
    ...rest,
  ]);
}
