import type { asset, Row } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { Moment } from '../../../resource/list/Moment.tsx';
import { ObjectLink } from '../../../resource/object/ObjectLink.tsx';
import styles from './AssetCells.module.css';
import { stateOf } from './asset-state.ts';

type Asset = Row<typeof asset>;

/** When the latest session of an asset began; it leads to that session. */
export function LastSessionCell({ row: { last_session: last } }: { readonly row: Asset }) {
  if (!last) return <span style={{ color: 'var(--mantine-color-dimmed)' }}>-</span>;
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

/** Whether an asset can be used, as far as is known; how it is known and the state of its host key on hover. */
export function AssetState({ row }: { readonly row: Asset }) {
  const { color, text, hint, found, isLive } = stateOf(row);
  return (
    <span style={{ whiteSpace: 'nowrap' }} title={[found, t(hint)].filter(Boolean).join(' · ')}>
      <span
        className={isLive ? styles.live : undefined}
        style={{ ...DOT, background: `var(--mantine-color-${color}-filled)` }}
        aria-hidden="true"
      />
      {t(text)}
    </span>
  );
}
