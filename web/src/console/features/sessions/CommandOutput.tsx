import { Anchor, Code, Group, Text } from '@mantine/core';
import type { command, Row } from '@sallyport/contract';
import { clock } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { words as guestWords } from './guests/words.ts';
import { ReplayFromHere } from './ReplayFromHere.tsx';
import { words } from './words.ts';

type Command = Row<typeof command>;

/**
 * A command as entered, with the beginning of its output. For a statement: also its rows, duration
 * and error.
 */
export function CommandOutput({ command }: { readonly command: Command }) {
  const { row_count: rows, duration_ms: milliseconds } = command;
  const isStatement = milliseconds !== null || rows !== null || command.is_failed;
  const facts = [
    ...(rows === null ? [] : [t(words.rows, { count: rows })]),
    ...(milliseconds === null ? [] : [t(words.milliseconds, { time: milliseconds })]),
    ...(command.is_failed ? [t(words.failed)] : []),
    ...(command.verdict === 'none' ? [] : [command.verdict_display]),
    ...(command.is_by_key_tree ? [t(words.byKeyTree)] : []),
  ];
  return (
    <>
      <Group gap="sm" mb={6} fz="sm">
        <ReplayFromHere command={command} />
        <Text span fz="inherit" c="dimmed" className="mono">
          {clock(command.offset_seconds)}
        </Text>
        {facts.length > 0 ? <span>{facts.join(' · ')}</span> : null}
        {command.typed_by ? (
          <span>{t(guestWords.typedBy, { names: command.typed_by })}</span>
        ) : null}
        {command.undo_rows === null ? null : (
          <Anchor
            fz="inherit"
            href={`/api/v1/terminal/commands/${command.id}/undo-script/`}
            download
          >
            {t(words.undoScript, { count: command.undo_rows })}
          </Anchor>
        )}
      </Group>
      <Code
        block
        style={{
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
          maxHeight: 360,
          overflowY: 'auto',
        }}
        tabIndex={0}
      >
        <Text component="span" ff="inherit" fz="inherit" fw={700}>
          {isStatement ? '' : '$ '}
          {command.input}
        </Text>
        {'\n'}
        {command.is_failed ? (
          <Text component="span" ff="inherit" fz="inherit" c="var(--mantine-color-error)">
            {command.error}
          </Text>
        ) : (
          command.output || t(isStatement ? words.noRows : words.noOutput)
        )}
      </Code>
    </>
  );
}

/** The time when a command was entered. */
export function commandDate({ timestamp }: Pick<Command, 'timestamp'>) {
  return <Moment date={new Date(timestamp * 1000).toISOString()} exact />;
}

/** The content of an unfolded row of commands. */
export const commandOutput = (row: Command) => <CommandOutput command={row} />;
