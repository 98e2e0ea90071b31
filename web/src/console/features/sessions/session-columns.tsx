import { Badge } from '@mantine/core';
import { session } from '@sallyport/contract';
import { Avatar } from '../../../kit/avatar/Avatar.tsx';
import { t } from '../../../kit/i18n/index.ts';
import {
  IconAlertTriangle,
  IconDatabase,
  IconDeviceDesktop,
  IconFolders,
  IconServer2,
  IconTerminal2,
} from '../../../kit/icons.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { SessionMarks } from '../../../kit/session-marks/SessionMarks.tsx';
import { type Column, choiceText } from '../../resource/list/table/columns.tsx';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { NamedObject } from '../../resource/object/LinkedCell.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { Clipped } from '../Clipped.tsx';
import type { useBreakpoints } from '../useBreakpoints.ts';
import { Duration } from './Duration.tsx';
import { isOrdinary, Risk } from './Risk.tsx';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

/**
 * The end reason of a session, in a table. Loads the texts of all errors, which live sessions do
 * not show.
 */
const EndReason = lazyComponent(async () => {
  const { endReason } = await import('./end-reasons.ts');
  return ({ session }: { readonly session: Pick<Session, 'end_reason' | 'asset'> }) => (
    <Clipped title={endReason(session)} min={110} />
  );
});

/**
 * Marks sessions with outdated SSH algorithms and names them; renders nothing for other sessions.
 */
function OldSsh({
  session: { old_algorithms: names },
}: {
  readonly session: Pick<Session, 'old_algorithms'>;
}) {
  if (!names) return null;
  const label = `${t(session.fields.old_algorithms.label)}: ${names}`;
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      style={{ color: 'var(--mantine-color-error)', marginInlineEnd: 4 }}
    >
      <IconAlertTriangle size={14} aria-hidden="true" style={{ verticalAlign: '-2px' }} />
    </span>
  );
}

const ICONS = {
  terminal: IconTerminal2,
  transfer: IconFolders,
  query: IconDatabase,
  desktop: IconDeviceDesktop,
  api: IconServer2,
};

/** The kind of a session: terminal, files, database or desktop. */
function KindIcon({ kind }: Pick<Session, 'kind'>) {
  const Icon = ICONS[kind];
  const label = choiceText(session.fields.kind, kind);
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      style={{ color: 'var(--mantine-color-dimmed)', marginInlineEnd: 6 }}
    >
      <Icon size={15} aria-hidden="true" style={{ verticalAlign: '-2px' }} />
    </span>
  );
}

const SHORT_ID = 8;

/** The start of a session, linked to its page. */
const started = (row: Session) => (
  <ObjectLink resource={session.name} id={row.id}>
    <Moment date={row.date_start} />
  </ObjectLink>
);

/** Badge of a session that another product recorded. */
function ImportedMark({ session: { imported_from: from } }: { readonly session: Session }) {
  if (!from) return null;
  return (
    <Badge
      color="gray"
      variant="light"
      size="sm"
      title={t(words.importedFrom, { product: from })}
      style={{ flexShrink: 0, marginInlineEnd: 6 }}
    >
      {t(words.imported)}
    </Badge>
  );
}

/** User and asset of a session; on a phone, also start and duration. */
function WhoWhere({ row, phone }: { readonly row: Session; readonly phone: boolean }) {
  const user = <NamedObject row={row} name="user" />;
  const asset = <NamedObject row={row} name="asset" />;
  if (!phone) {
    return (
      <Clipped title={`${row.user} → ${row.asset}`} min={310}>
        <SessionMarks session={row} />
        <ImportedMark session={row} />
        <KindIcon kind={row.kind} />
        <OldSsh session={row} />
        <Avatar name={row.user} id={row.user_id} />
        {user} → {asset}
      </Clipped>
    );
  }
  return (
    <>
      <Clipped title={row.user} min={140} link>
        <SessionMarks session={row} />
        <ImportedMark session={row} />
        {user}
      </Clipped>
      <Clipped title={row.asset} min={140}>
        <KindIcon kind={row.kind} />
        <OldSsh session={row} />→ {asset}
      </Clipped>
      <span style={{ display: 'block', fontSize: 'var(--mantine-font-size-xs)' }}>
        {started(row)} · <Duration session={row} />{' '}
        {!isOrdinary(row) && <Risk level={row.risk_level} />}
      </span>
    </>
  );
}

/** Columns of lists of sessions. `live`: for live sessions, which have no end. */
export const sessionColumns = (
  { narrow, phone }: ReturnType<typeof useBreakpoints>,
  live: boolean,
): readonly Column<Session>[] => [
  {
    name: 'user',
    label: words.whoWhere,
    essential: true,
    cell: (row) => <WhoWhere row={row} phone={phone} />,
  },
  {
    name: 'system_user',
    width: 116,
    hidden: narrow,
    cell: (row) => (
      <Clipped title={row.system_user} min={84} link>
        <NamedObject row={row} name="system_user" />
      </Clipped>
    ),
  },
  { name: 'date_start', label: words.started, width: 120, hidden: phone, cell: started },
  {
    name: 'duration',
    label: words.duration,
    width: 90,
    hidden: phone,
    cell: (row) => <Duration session={row} />,
  },
  {
    name: 'risk_level',
    width: 100,
    hidden: phone,
    quiet: isOrdinary,
    cell: ({ risk_level: level }) => <Risk level={level} />,
  },
  { name: 'command_amount', width: 90, hidden: narrow },
  {
    name: 'end_reason',
    label: words.endedBy,
    hidden: live || narrow,
    cell: (row) => <EndReason session={row} />,
  },
  {
    name: 'replay_state',
    width: 110,
    hidden: narrow,
    cell: (row) => (
      <Clipped title={choiceText(session.fields.replay_state, row.replay_state)} min={84} />
    ),
  },
  { name: 'remote_addr', mono: true, width: 110, hidden: true },
  // Hidden by default: the same value in nearly every row.
  { name: 'kind', width: 120, hidden: true },
  { name: 'protocol', width: 90, hidden: true },
  { name: 'login_from', width: 120, hidden: true },
  { name: 'asset', width: 120, hidden: true },
  { name: 'date_end', hidden: true },
  {
    name: 'id',
    label: words.id,
    width: 88,
    hidden: true,
    cell: ({ id }) => (
      <span className="mono">
        <ObjectLink resource={session.name} id={id}>
          {id.slice(0, SHORT_ID)}
        </ObjectLink>
      </span>
    ),
  },
];
