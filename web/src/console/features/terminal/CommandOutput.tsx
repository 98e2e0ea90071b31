import { Code, Text } from '@mantine/core';
import type { command, Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

type Command = Row<typeof command>;

/** A command as it was typed, and the beginning of what it printed. */
export function CommandOutput({ command }: { readonly command: Command }) {
  return (
    <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: 360, overflowY: 'auto' }} tabIndex={0}>
      <Text component="span" ff="inherit" fz="inherit" fw={700}>
        $ {command.input}
      </Text>
      {'\n'}
      {command.output || t(words.noOutput)}
    </Code>
  );
}
