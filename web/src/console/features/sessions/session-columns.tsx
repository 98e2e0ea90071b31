import { session } from '@sallyport/contract';
import { Avatar } from '../../../kit/avatar/Avatar.tsx';
import { EmergencyMark } from '../../../kit/emergency/EmergencyMark.tsx';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { type Column, choiceText } from '../../resource/list/columns.tsx';
import { Moment } from '../../resource/list/Moment.tsx';
import { NamedObject } from '../../resource/object/LinkedCell.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { Clipped } from '../Clipped.tsx';
import type { useBreakpoints } from '../useBreakpoints.ts';
import { Duration } from './Duration.tsx';
import { KindIcon } from './KindIcon.tsx';
import { OldSsh } from './OldSsh.tsx';
import { isOrdinary, Risk } from './Risk.tsx';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

// Lazy-loaded: it includes the texts of all errors.
const EndReason = lazyComponent(() => import('./EndReason.tsx').then((module) => module.EndReason));

const SHORT_ID = 8;

/** The start of a session, linked to its page. */
const started = (row: Session) => (
  <ObjectLink resource={session.name} id={row.id}>
    <Moment date={row.date_start} />
  </ObjectLink>
);

/** User and asset of a session; on a phone, also start and duration. */
function WhoWhere({ row, phone }: { readonly row: Session; readonly phone: boolean }) {
  const user = <NamedObject row={row} name="user" />;
  const asset = <NamedObject row={row} name="asset" />;
  if (!phone) {
    return (
      <Clipped title={`${row.user} → ${row.asset}`} min={310}>
        {row.is_emergency && <EmergencyMark />}
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
        {row.is_emergency && <EmergencyMark />}
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
    cell: (row) => (
      <Loading fallback={<Clipped title="" min={110} />}>
        <EndReason session={row} />
      </Loading>
    ),
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
