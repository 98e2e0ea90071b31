import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { chooseLanguage, LANGUAGE_NAMES, language, t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import {
  IconBookmark,
  IconBroadcast,
  IconColumns2,
  IconDots,
  IconFolders,
  IconKeyboard,
  IconLanguage,
  IconMaximize,
  IconMinimize,
  IconSearch,
  IconSettings,
} from '../icons.ts';
import { filesAddress } from '../location.ts';
import { rememberTheme } from '../useProfile.ts';
import { words } from '../words.ts';
import { UserItems, UserMenu } from './UserMenu.tsx';
import { useFullScreen } from './useFullScreen.ts';
import styles from './Workspace.module.css';

const LANGUAGES = ['zh', 'en'] as const;

interface Props {
  readonly hasTab: boolean;
  /** True if input goes to all visible terminals; null for a single one. */
  readonly together: boolean | null;
  readonly onSplit: () => void;
  readonly onTogether: () => void;
  readonly onFind: () => void;
  readonly onSnippets: () => void;
  readonly onSettings: () => void;
  readonly onHelp: () => void;
}

interface ToolProps {
  readonly label: string;
  /** State of a toggle. */
  readonly pressed?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Tool({ label, pressed, onClick, children }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={pressed ? 'filled' : 'subtle'}
        color={pressed ? 'orange.9' : 'gray'}
        size={32}
        aria-label={label}
        aria-pressed={pressed}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

/** The tools at the right of the tabs; on a narrow screen, one menu holds them. */
export function Toolbar({
  hasTab,
  together,
  onSplit,
  onTogether,
  onFind,
  onSnippets,
  onSettings,
  onHelp,
}: Props) {
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
        {hasTab ? (
          <Tool label={`${t(words.snippets)} (Ctrl+Shift+L)`} onClick={onSnippets}>
            <IconBookmark size={17} />
          </Tool>
        ) : null}
        {hasTab ? (
          <Tool label={`${t(words.split)} (Ctrl+Shift+S)`} onClick={onSplit}>
            <IconColumns2 size={17} />
          </Tool>
        ) : null}
        {together === null ? null : (
          <Tool
            label={`${t(words.typeTogether)} (Ctrl+Shift+A)`}
            pressed={together}
            onClick={onTogether}
          >
            <IconBroadcast size={17} />
          </Tool>
        )}
        <Tool label={fullLabel} onClick={toggleFull}>
          <FullIcon size={17} />
        </Tool>
        <Tooltip label={t(words.fileManager)}>
          <ActionIcon
            component="a"
            href={filesAddress()}
            target="_blank"
            rel="noopener"
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t(words.fileManager)}
          >
            <IconFolders size={17} />
          </ActionIcon>
        </Tooltip>
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
            {hasTab ? (
              <Menu.Item leftSection={<IconBookmark size={15} />} onClick={onSnippets}>
                {t(words.snippets)}
              </Menu.Item>
            ) : null}
            <Menu.Item leftSection={<FullIcon size={15} />} onClick={toggleFull}>
              {fullLabel}
            </Menu.Item>
            <Menu.Item
              component="a"
              href={filesAddress()}
              target="_blank"
              rel="noopener"
              leftSection={<IconFolders size={15} />}
            >
              {t(words.fileManager)}
            </Menu.Item>
            <Menu.Item leftSection={<IconSettings size={15} />} onClick={onSettings}>
              {t(words.settings)}
            </Menu.Item>
            <Menu.Divider />
            {LANGUAGES.map((value) => (
              <Menu.Item
                key={value}
                leftSection={<IconLanguage size={15} />}
                disabled={value === language}
                onClick={() => chooseLanguage(value)}
              >
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
