import { ActionIcon, Kbd, Menu, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../kit/i18n/index.ts';
import {
  IconBolt,
  IconBook,
  IconBuilding,
  IconHelp,
  IconKeyboard,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconLifebuoy,
  IconMenu2,
  IconSearch,
} from '../../kit/icons.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import { windowLink } from '../base/addresses.ts';
import { usePreferences } from '../base/preferences.ts';
import { words } from '../base/words.ts';
import { AccountMenu, HelpItem } from './AccountMenu.tsx';
import styles from './Shell.module.css';

interface HeaderProps {
  /** Pending work of the user; loaded after the page. */
  readonly news: ReactNode;
  readonly mobile: boolean;
  readonly sidebarOpen: boolean;
  readonly onToggleSidebar: () => void;
  readonly onFind: () => void;
  readonly onShortcuts: () => void;
}

const isMac = typeof navigator !== 'undefined' && navigator.platform.startsWith('Mac');

/** The top bar: sidebar button, palette, and menus for help, language, appearance and account. */
export function Header({
  news,
  mobile,
  sidebarOpen,
  onToggleSidebar,
  onFind,
  onShortcuts,
}: HeaderProps) {
  const { save } = usePreferences();
  const Toggle = mobile
    ? IconMenu2
    : sidebarOpen
      ? IconLayoutSidebarLeftCollapse
      : IconLayoutSidebarLeftExpand;
  return (
    <header className={styles.header}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={onToggleSidebar}
        aria-label={t(mobile ? words.openMenu : sidebarOpen ? words.collapse : words.expand)}
      >
        <Toggle size={20} />
      </ActionIcon>
      <UnstyledButton
        className={styles.find}
        onClick={onFind}
        aria-label={`${t(words.palette)} ${isMac ? '⌘' : 'Ctrl'} K`}
      >
        <IconSearch size={16} />
        <span>{t(words.palette)}</span>
        <Kbd size="xs">{isMac ? '⌘' : 'Ctrl'} K</Kbd>
      </UnstyledButton>
      <div className={styles.space} />
      {news}
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t(words.help)}>
            <IconHelp size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <HelpItem page="docs" icon={IconBook} label={words.docs} />
          <HelpItem page="support" icon={IconLifebuoy} label={words.support} />
          <HelpItem page="enterprise" icon={IconBuilding} label={words.enterprise} />
          <Menu.Divider />
          <Menu.Item leftSection={<IconBolt size={16} />} {...windowLink('/api/docs/')}>
            {t(words.apiDocs)}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconKeyboard size={16} />}
            rightSection={<Kbd size="xs">?</Kbd>}
            onClick={onShortcuts}
          >
            {t(words.shortcuts)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <LanguageSwitch />
      <ThemeSwitch onChoose={(theme) => save({ theme })} />
      <AccountMenu />
    </header>
  );
}
