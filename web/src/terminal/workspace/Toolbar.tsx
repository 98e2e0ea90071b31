import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { chooseLanguage, LANGUAGE_NAMES, language, t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/LanguageSwitch.tsx';
import { ThemeSwitch } from '../../kit/ThemeSwitch.tsx';
import { IconDots, IconKeyboard, IconLanguage, IconMaximize, IconMinimize, IconSearch, IconSettings } from '../icons.ts';
import { rememberTheme } from '../remember-theme.ts';
import { words } from '../words.ts';
import { UserItems, UserMenu } from './UserMenu.tsx';
import { useFullScreen } from './useFullScreen.ts';
import styles from './Workspace.module.css';

const LANGUAGES = ['zh', 'en'] as const;

interface Props {
  readonly hasTab: boolean;
  readonly onFind: () => void;
  readonly onSettings: () => void;
  readonly onHelp: () => void;
}

function Tool({ label, onClick, children }: { readonly label: string; readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

/** The tools at the right of the row of tabs; on a narrow screen they gather in one menu. */
export function Toolbar({ hasTab, onFind, onSettings, onHelp }: Props) {
  const [full, toggleFull] = useFullScreen();
  const fullLabel = t(full ? words.leaveFullScreen : words.fullScreen);
  const FullIcon = full ? IconMinimize : IconMaximize;
  return (
    <>
      <div className={styles.tools}>
        {hasTab ? (
          <Tool label={`${t(words.find)} (Ctrl+Shift+F)`} onClick={onFind}>
            <IconSearch size={17} />
          </Tool>
        ) : null}
        <Tool label={fullLabel} onClick={toggleFull}>
          <FullIcon size={17} />
        </Tool>
        <Tool label={t(words.settings)} onClick={onSettings}>
          <IconSettings size={17} />
        </Tool>
        <Tool label={t(words.help)} onClick={onHelp}>
          <IconKeyboard size={18} />
        </Tool>
        <ThemeSwitch onChoose={rememberTheme} />
        <LanguageSwitch />
        <UserMenu />
      </div>
      <div className={styles.toolsNarrow}>
        <ThemeSwitch onChoose={rememberTheme} />
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size={36} aria-label={t(words.more)}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {hasTab ? (
              <Menu.Item leftSection={<IconSearch size={15} />} onClick={onFind}>
                {t(words.find)}
              </Menu.Item>
            ) : null}
            <Menu.Item leftSection={<FullIcon size={15} />} onClick={toggleFull}>
              {fullLabel}
            </Menu.Item>
            <Menu.Item leftSection={<IconSettings size={15} />} onClick={onSettings}>
              {t(words.settings)}
            </Menu.Item>
            <Menu.Divider />
            {LANGUAGES.map((value) => (
              <Menu.Item key={value} leftSection={<IconLanguage size={15} />} disabled={value === language} onClick={() => chooseLanguage(value)}>
                {LANGUAGE_NAMES[value]}
              </Menu.Item>
            ))}
            <Menu.Divider />
            <UserItems />
          </Menu.Dropdown>
        </Menu>
      </div>
    </>
  );
}
