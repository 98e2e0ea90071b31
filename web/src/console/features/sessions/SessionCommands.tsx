import { Anchor, Text } from '@mantine/core';
import { type command, command as commandResource, type Row } from '@sallyport/contract';
import { clock } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { Column } from '../../resource/list/table/columns.tsx';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { commandDate, commandOutput } from './CommandOutput.tsx';
import { words as guestWords } from './guests/words.ts';
import { ReplayFromHere } from './ReplayFromHere.tsx';
import { isOrdinary, Risk } from './Risk.tsx';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

const LIVE = 5_000;

type Command = Row<typeof command>;

interface SessionCommandsProps {
  readonly session: Session;
  readonly onMoment: (second: number) => void;
}

/** Columns of a database query. */
const queryColumns = (phone: boolean): readonly Column<Command>[] => [
  {
    name: 'row_count',
    width: 80,
    align: 'right',
    order: false,
    hidden: phone,
  },
  {
    name: 'duration_ms',
    width: 110,
    align: 'right',
    order: false,
    hidden: phone,
  },
];

const replayColumn = (phone: boolean): Column<Command> => ({
  name: 'replay',
  label: words.replay,
  width: 150,
  hidden: phone,
  cell: (row) => <ReplayFromHere command={row} />,
});

const columnsOf = (
  { session, onMoment }: SessionCommandsProps,
  phone: boolean,
): readonly Column<Command>[] => [
  {
    name: 'offset_seconds',
    label: words.offset,
    width: 90,
    mono: true,
    order: false,
    cell: ({ offset_seconds: offset }) =>
      session.can_replay ? (
        <Anchor
          component="button"
          type="button"
          fz="inherit"
          aria-label={t(words.showMoment, { time: clock(offset) })}
          onClick={() => onMoment(offset + 1)}
        >
          {clock(offset)}
        </Anchor>
      ) : (
        clock(offset)
      ),
  },
  {
    name: 'input',
    mono: true,
    essential: true,
    cell: ({ input, typed_by: names, verdict, verdict_display: answer }) => (
      <>
        <Clipped title={input} min={phone ? 110 : 240} />
        {names ? (
          <Text span fz="xs" c="dimmed" display="block">
            <Clipped title={t(guestWords.typedBy, { names })} min={phone ? 110 : 240} />
          </Text>
        ) : null}
        {verdict === 'none' ? null : (
          <Text span fz="xs" c="dimmed" display="block">
            {answer}
          </Text>
        )}
      </>
    ),
  },
  {
    name: 'risk_level',
    width: 120,
    order: false,
    quiet: isOrdinary,
    cell: (row) => (
      <Risk
        level={row.risk_level}
        denied={row.is_denied}
        failed={row.is_failed}
        verdict={row.verdict}
      />
    ),
  },
  ...(session.kind === 'query' ? queryColumns(phone) : []),
  { name: 'timestamp', label: words.date, width: 120, hidden: phone, cell: commandDate },
  ...(session.can_replay ? [replayColumn(phone)] : []),
];

/**
 * Commands of a session in order. `onMoment` shows the recording one second after the command was
 * entered.
 */
export function SessionCommands(props: SessionCommandsProps) {
  const { session } = props;
  const { phone } = useBreakpoints();
  return (
    <section aria-label={t(words.commands)} style={{ marginTop: 16 }}>
      {session.commands_not_kept > 0 && (
        <Text size="sm" mb={8}>
          {t(words.notKept, { count: session.commands_not_kept, denied: session.commands_denied })}
        </Text>
      )}
      <ResourceList<Command>
        source={commandResource}
        embedded
        hasSearch={false}
        base={{ session_id: session.id, order: 'sequence' }}
        columns={columnsOf(props, phone)}
        expand={commandOutput}
        {...(!session.is_finished && { refetchEvery: LIVE })}
      />
    </section>
  );
}
