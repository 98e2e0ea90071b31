import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { chooseLanguage, LANGUAGE_NAMES, language, t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import { ToolButton, ToolLink } from '../../kit/page/ToolButton.tsx';
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
    <ToolButton
      label={label}
      variant={pressed ? 'filled' : 'subtle'}
      color={pressed ? 'orange.9' : 'gray'}
      size={32}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {children}
    </ToolButton>
  );
}

/** Properties of both sets of tools. */
interface ToolsProps extends Props {
  readonly fullScreen: {
    readonly label: string;
    readonly icon: typeof IconMaximize;
    readonly toggle: () => void;
  };
}

function WideTools(props: ToolsProps) {
  const { hasTab, together, fullScreen } = props;
  const FullIcon = fullScreen.icon;
  return (
    <div className={styles.tools}>
      {hasTab ? (
        <>
          <Tool label={`${t(words.find)} (Ctrl+Shift+F)`} onClick={props.onFind}>
            <IconSearch size={17} />
          </Tool>
          <Tool label={`${t(words.snippets)} (Ctrl+Shift+L)`} onClick={props.onSnippets}>
            <IconBookmark size={17} />
          </Tool>
          <Tool label={`${t(words.split)} (Ctrl+Shift+S)`} onClick={props.onSplit}>
            <IconColumns2 size={17} />
          </Tool>
        </>
      ) : null}
      {together === null ? null : (
        <Tool
          label={`${t(words.typeTogether)} (Ctrl+Shift+A)`}
          pressed={together}
          onClick={props.onTogether}
        >
          <IconBroadcast size={17} />
        </Tool>
      )}
      <Tool label={fullScreen.label} onClick={fullScreen.toggle}>
        <FullIcon size={17} />
      </Tool>
      <ToolLink
        label={t(words.fileManager)}
        href={filesAddress()}
        target="_blank"
        rel="noopener"
        size={32}
      >
        <IconFolders size={17} />
      </ToolLink>
      <Tool label={t(words.settings)} onClick={props.onSettings}>
        <IconSettings size={17} />
      </Tool>
      <Tool label={t(words.help)} onClick={props.onHelp}>
        <IconKeyboard size={18} />
      </Tool>
      <ThemeSwitch onChoose={rememberTheme} />
      <LanguageSwitch />
      <UserMenu />
    </div>
  );
}

function NarrowTools({ hasTab, fullScreen, onFind, onSnippets, onSettings }: ToolsProps) {
  const FullIcon = fullScreen.icon;
  return (
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
            <>
              <Menu.Item leftSection={<IconSearch size={15} />} onClick={onFind}>
                {t(words.find)}
              </Menu.Item>
              <Menu.Item leftSection={<IconBookmark size={15} />} onClick={onSnippets}>
                {t(words.snippets)}
              </Menu.Item>
            </>
          ) : null}
          <Menu.Item leftSection={<FullIcon size={15} />} onClick={fullScreen.toggle}>
            {fullScreen.label}
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
  );
}

/** The tools at the right of the tabs; on a narrow screen, one menu holds them. */
export function Toolbar(props: Props) {
  const [isFull, toggle] = useFullScreen();
  const fullScreen = {
    label: t(isFull ? words.leaveFullScreen : words.fullScreen),
    icon: isFull ? IconMinimize : IconMaximize,
    toggle,
  };
  return (
    <>
      <WideTools {...props} fullScreen={fullScreen} />
      <NarrowTools {...props} fullScreen={fullScreen} />
    </>
  );
}
