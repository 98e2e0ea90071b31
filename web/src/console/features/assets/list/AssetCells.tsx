import { ActionIcon } from '@mantine/core';
import type { asset, Row } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { IconTerminal2 } from '../../../../kit/icons.ts';
import { openWindow, terminalAddress } from '../../../base/addresses.ts';
import { Moment } from '../../../resource/list/Moment.tsx';
import { ObjectLink } from '../../../resource/object/ObjectLink.tsx';
import styles from './AssetCells.module.css';
import { stateOf } from './asset-state.ts';
import { words } from './words.ts';

type Asset = Row<typeof asset>;

/** Opens a terminal on an asset that is granted to this user. */
export function Connect({ row }: { readonly row: Asset }) {
  const label = `${t(words.connect)} ${row.hostname}`;
  return (
    <ActionIcon variant="default" size={28} className={styles.connect} aria-label={label} title={label} onClick={() => openWindow(terminalAddress(row.id))}>
      <IconTerminal2 size={16} />
    </ActionIcon>
  );
}

/** When the latest session of an asset began; it leads to that session. */
export function LastSessionCell({ row: { last_session: last } }: { readonly row: Asset }) {
  if (!last) return <span style={{ color: 'var(--mantine-color-dimmed)' }}>-</span>;
  return (
    <ObjectLink resource="session" id={last.id}>
      <Moment date={last.date} />
    </ObjectLink>
  );
}

/** Whether an asset can be used, as far as is known; how it is known and the state of its host key on hover. */
export function AssetState({ row }: { readonly row: Asset }) {
  const { color, text, hint, found } = stateOf(row);
  return (
    <span className={styles.state} title={[found, t(hint)].filter(Boolean).join(' · ')}>
      <span className={styles.dot} style={{ background: `var(--mantine-color-${color}-filled)` }} aria-hidden="true" />
      {t(text)}
    </span>
  );
}
