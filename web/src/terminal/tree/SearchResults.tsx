import { type KeyboardEvent, useMemo, useRef } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { useRowsInSight } from '../../kit/useRowsInSight.ts';
import { words } from '../words.ts';
import { AssetLabel, StarButton } from './AssetRow.tsx';
import styles from './AssetTree.module.css';
import type { GrantedLeaf } from './tree-rows.ts';
import type { Favorites } from './useFavorites.ts';

const ROW_HEIGHT = 30;

interface Props {
  readonly groups: readonly {
    readonly organization: string;
    readonly assets: readonly GrantedLeaf[];
  }[];
  readonly favorites: Favorites;
  readonly onConnect: (asset: GrantedLeaf) => void;
  readonly onMenu: (asset: GrantedLeaf, x: number, y: number) => void;
}

type Line =
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'asset'; readonly asset: GrantedLeaf };

/** Moves the focus to the result before or after the one that has it. */
export function step(event: KeyboardEvent<HTMLElement>, by: number): void {
  const rows = [
    ...(event.currentTarget
      .closest('[data-results]')
      ?.querySelectorAll<HTMLElement>('button[data-kind]') ?? []),
  ];
  const next = rows[rows.indexOf(event.currentTarget) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/**
 * The assets that a search found, below the names of their organizations when there are several.
 */
export function SearchResults({ groups, favorites, onConnect, onMenu }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo<Line[]>(
    () =>
      groups.flatMap(({ organization, assets }) => [
        ...(groups.length > 1 ? [{ kind: 'group', name: organization } as const] : []),
        ...assets.map((asset) => ({ kind: 'asset', asset }) as const),
      ]),
    [groups],
  );
  const sight = useRowsInSight(scroller, lines.length, ROW_HEIGHT);
  return (
    <div ref={scroller} className={styles.scroller}>
      <ul aria-label={t(words.found)} className={styles.tree} style={{ height: sight.total }}>
        {lines.slice(sight.first, sight.last + 1).map((line, offset) => {
          const place = { top: (sight.first + offset) * ROW_HEIGHT, height: ROW_HEIGHT };
          if (line.kind === 'group') {
            return (
              <li key={`group-${line.name}`} className={styles.group} style={place}>
                {line.name}
              </li>
            );
          }
          const { asset } = line;
          return (
            <li key={asset.id} className={styles.slot} style={place}>
              <button
                type="button"
                className={styles.row}
                data-kind="asset"
                aria-disabled={!asset.usable || undefined}
                title={asset.usable ? undefined : t(words.noSsh)}
                onClick={() => asset.usable && onConnect(asset)}
                onKeyDown={(event) => {
                  if (event.key === 'ArrowDown') step(event, 1);
                  else if (event.key === 'ArrowUp') step(event, -1);
                }}
                onContextMenu={(event) => {
                  event.preventDefault();
                  onMenu(asset, event.clientX, event.clientY);
                }}
              >
                <AssetLabel asset={asset} />
              </button>
              <StarButton
                favorite={favorites.has(asset.id)}
                onToggle={() => favorites.toggle(asset.id)}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
