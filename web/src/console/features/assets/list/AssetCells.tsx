import { ActionIcon } from '@mantine/core';
import type { asset, Row } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { IconTerminal2 } from '../../../../kit/icons.ts';
import { openWindow, terminalAddress } from '../../../base/addresses.ts';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { ObjectLink } from '../../../resource/object/ObjectLink.tsx';
import styles from './AssetCells.module.css';
import { stateOf } from './asset-state.ts';
import connectStyles from './Connect.module.css';
import { words } from './words.ts';

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
      onClick={() => openWindow(terminalAddress(row.id))}
    >
      <IconTerminal2 size={16} />
    </ActionIcon>
  );
}
