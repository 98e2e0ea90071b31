import { Menu } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { MenuAnchor } from '../../kit/MenuAnchor.tsx';
import type { Tab } from '../base/tabs/tab-list.ts';
import { words } from '../base/words.ts';
import styles from './VisitedTabs.module.css';

const WIDTH = 105;
const GAP = 15;

interface VisitedTabMenuProps {
  readonly tab: Tab;
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly onDone: () => void;
  readonly onRefresh: () => void;
  readonly onClose: () => void;
  readonly onCloseOthers: () => void;
  readonly onCloseAll: () => void;
}

/** The context menu of a visited page: the four entries of conformance 2.71. */
export function VisitedTabMenu({
  tab,
  title,
  x,
  y,
  onDone,
  onRefresh,
  onClose,
  onCloseOthers,
  onCloseAll,
}: VisitedTabMenuProps) {
  return (
    <Menu
      opened
      onClose={onDone}
      position="bottom-start"
      withinPortal
      width={WIDTH}
      classNames={{ item: styles.tabMenuItem }}
    >
      <Menu.Target>
        <MenuAnchor x={Math.min(x, window.innerWidth - WIDTH - GAP)} y={y} label={title} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onRefresh}>{t(words.tabRefresh)}</Menu.Item>
        {!tab.affix && <Menu.Item onClick={onClose}>{t(words.tabClose)}</Menu.Item>}
        <Menu.Item onClick={onCloseOthers}>{t(words.tabCloseOthers)}</Menu.Item>
        <Menu.Item onClick={onCloseAll}>{t(words.tabCloseAll)}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
