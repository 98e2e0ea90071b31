import { ActionIcon } from '@mantine/core';
import { type asset, type LocalText, parseDatetime, type Row } from '@sallyport/contract';
import { formatWithZone } from '../../../../kit/format/relative-time.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconTerminal2 } from '../../../../kit/icons.ts';
import { terminalAddress, windowLink } from '../../../base/addresses.ts';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { ObjectLink } from '../../../resource/object/ObjectLink.tsx';
import styles from './AssetCells.module.css';
import connectStyles from './Connect.module.css';
import { words } from './words.ts';

type Known = Pick<Row<typeof asset>, 'is_active' | 'host_key' | 'last_session' | 'connectivity'>;

/** End reasons of sessions that could not reach the asset, whichever user connected. */
const OUT_OF_REACH = new Set(['connect_unreachable', 'connect_protocol_error']);

interface StateText {
  readonly color: 'green' | 'yellow' | 'red' | 'gray';
  readonly text: LocalText;
  readonly isLive?: boolean;
  /** The state of the host key. */
  readonly hint: LocalText;
  /** The time of the test and its error. Missing if the state comes from the latest session. */
  readonly testResult?: string;
}

const momentOf = (text: string) => (parseDatetime(text) ?? new Date(text)).getTime();

/**
 * Returns the most urgent state of an asset. The latest test or session counts, whichever is newer.
 */
export function stateOf({
  is_active: isActive,
  host_key: key,
  last_session: last,
  connectivity: test,
}: Known): StateText {
  const hint =
    key === 'changed'
      ? words.keyChangedHint
      : key === 'pinned'
        ? words.keyPinned
        : words.keyUnknown;
  if (!isActive) return { color: 'gray', text: words.disabled, hint };
  if (key === 'changed') return { color: 'red', text: words.keyChanged, hint };
  if (last && !last.is_finished) return { color: 'green', text: words.inUse, hint, isLive: true };
  if (test.status !== 2 && !(last && momentOf(last.date) > momentOf(test.datetime))) {
    const testResult = [formatWithZone(test.datetime), test.reason].filter(Boolean).join(' · ');
    return test.status === 1
      ? { color: 'green', text: words.reachable, hint, testResult }
      : { color: 'yellow', text: words.unreachable, hint, testResult };
  }
  if (last && !last.is_success && last.end_reason && OUT_OF_REACH.has(last.end_reason))
    return { color: 'yellow', text: words.unreachable, hint };
  if (last?.is_success) return { color: 'green', text: words.reachable, hint };
  if (last) return { color: 'yellow', text: words.sessionFailed, hint };
  return { color: 'gray', text: words.active, hint };
}

type Asset = Row<typeof asset>;

/** Shows the start of the latest session on an asset, with a link to that session. */
export function LastSessionCell({ row: { last_session: last } }: { readonly row: Asset }) {
  if (!last) return null;
  return (
    <ObjectLink resource="session" id={last.id}>
      <Moment date={last.date} />
    </ObjectLink>
  );
}

const DOT = {
  display: 'inline-block',
  width: 8,
  height: 8,
  marginInlineEnd: 6,
  borderRadius: '50%',
} as const;

/**
 * Shows the known state of an asset. The tooltip has the test result and the state of the host key.
 */
export function AssetState({ row }: { readonly row: Asset }) {
  const { color, text, hint, testResult, isLive } = stateOf(row);
  return (
    <span
      style={{ whiteSpace: 'nowrap' }}
      title={[testResult, t(hint)].filter(Boolean).join(' · ')}
    >
      <span
        className={isLive ? styles.live : undefined}
        style={{ ...DOT, background: `var(--mantine-color-${color}-filled)` }}
        aria-hidden="true"
      />
      {t(text)}
    </span>
  );
}

/** Opens a terminal on an asset that is granted to the current user. */
export function Connect({ row }: { readonly row: Row<typeof asset> }) {
  const label = `${t(words.connect)} ${row.hostname}`;
  return (
    <ActionIcon
      variant="default"
      size={28}
      className={connectStyles.connect}
      aria-label={label}
      title={label}
      {...windowLink(terminalAddress(row.id))}
    >
      <IconTerminal2 size={16} />
    </ActionIcon>
  );
}
