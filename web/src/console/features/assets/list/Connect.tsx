import { ActionIcon } from '@mantine/core';
import type { asset, Row } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { IconTerminal2 } from '../../../../kit/icons.ts';
import { openWindow, terminalAddress } from '../../../base/addresses.ts';
import styles from './Connect.module.css';
import { words } from './words.ts';

/** Opens a terminal on an asset that is granted to the current user. */
export function Connect({ row }: { readonly row: Row<typeof asset> }) {
  const label = `${t(words.connect)} ${row.hostname}`;
  return (
    <ActionIcon
      variant="default"
      size={28}
      className={styles.connect}
      aria-label={label}
      title={label}
      onClick={() => openWindow(terminalAddress(row.id))}
    >
      <IconTerminal2 size={16} />
    </ActionIcon>
  );
}
