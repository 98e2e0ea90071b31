import { ActionIcon } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { IconBrandWindows, IconServer, IconStar, IconStarFilled } from '../icons.ts';
import { words } from '../words.ts';
import styles from './AssetTree.module.css';
import type { GrantedLeaf } from './tree-rows.ts';

/** Label of an asset in the tree and in search results. */
export function AssetLabel({ asset }: { readonly asset: GrantedLeaf }) {
  const Icon = asset.platform.toLowerCase().includes('windows') ? IconBrandWindows : IconServer;
  return (
    <>
      <Icon size={16} className={styles.icon} aria-hidden="true" />
      <span className={styles.name}>{asset.hostname}</span>{' '}
      <span className={styles.address}>{asset.ip}</span>
    </>
  );
}

/** Makes an asset a favorite, or no longer. From the keyboard the menu of the row does the same. */
export function StarButton({
  favorite,
  onToggle,
}: {
  readonly favorite: boolean;
  readonly onToggle: () => void;
}) {
  return (
    <ActionIcon
      className={styles.star}
      data-on={favorite || undefined}
      variant="transparent"
      size="sm"
      tabIndex={-1}
      aria-label={t(favorite ? words.unfavorite : words.favorite)}
      aria-pressed={favorite}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      {favorite ? <IconStarFilled size={14} /> : <IconStar size={14} />}
    </ActionIcon>
  );
}
