import {
  type DatabasePassword,
  mysqlCommand,
  psqlCommand,
  shellText,
  unsafeField,
} from '@sallyport/contract';

type Issued = Pick<
  DatabasePassword,
  'protocol' | 'host' | 'port' | 'username' | 'database' | 'tls'
>;

/**
 * Commands that connect, by program. They omit the password, because the program asks for it. No
 * command is returned if a name has characters that some shell interprets in any quotes.
 */
export function commandsFor(
  issued: Issued,
): readonly { readonly name: string; readonly command: string }[] {
  if (unsafeField(issued)) return [];
  const { protocol, tls } = issued;
  const commands =
    protocol === 'postgresql'
      ? [psqlCommand(issued, tls)]
      : (['mysql', 'mariadb'] as const).map((program) => mysqlCommand(program, issued, tls));
  return commands.flatMap((line) => {
    const command = shellText(line);
    return command === undefined ? [] : [{ name: line.program, command }];
  });
}
