import { Anchor, Code, Group, Text } from '@mantine/core';
import type { command, Row } from '@sallyport/contract';
import { clock } from '../../../kit/clock.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconPlayerPlay } from '../../../kit/icons.ts';
import { replayAddress } from '../../base/addresses.ts';
import { words } from './words.ts';

type Command = Row<typeof command>;

/** A replay begins a little before the command, so that one sees the prompt and the typing. */
const LEAD_SECONDS = 2;

/** A command as it was typed, and the beginning of what it printed. */
export function CommandOutput({ command }: { readonly command: Command }) {
  return (
    <>
      <Group gap="sm" mb={6} fz="sm">
        <Anchor fz="inherit" href={replayAddress(command.session, command.offset_seconds - LEAD_SECONDS)} target="_blank" rel="noopener">
          <IconPlayerPlay size={14} aria-hidden="true" style={{ verticalAlign: 'text-bottom' }} /> {t(words.replayFromHere)}
        </Anchor>
        <Text span fz="inherit" c="dimmed" className="mono">
          {clock(command.offset_seconds)}
        </Text>
      </Group>
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: 360, overflowY: 'auto' }} tabIndex={0}>
        <Text component="span" ff="inherit" fz="inherit" fw={700}>
          $ {command.input}
        </Text>
        {'\n'}
        {command.output || t(words.noOutput)}
      </Code>
    </>
  );
}
