import type { Client } from '@sallyport/ssh';
import { encodeName } from '../../sessions/files/names.ts';

/** Runs a command with the client's bytes, even if they are not UTF-8. */
export function runCommand(
  client: Client,
  command: string,
  ...rest: readonly [options: object, opened: unknown]
): void {
  // ssh2 accepts bytes, though its types do not say so.
  Reflect.apply(client.exec, client, [
    command.isWellFormed() ? command : encodeName(command, 'utf8'),
    ...rest,
  ]);
}
