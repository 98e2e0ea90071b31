import { ActionIcon, Menu } from '@mantine/core';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconChevronDown } from '../icons.ts';
import { StatusMark, statusOf } from '../session/StatusMark.tsx';
import type { TabsState } from '../tabs/tabs-state.ts';
import { useEdges } from '../useEdges.ts';
import { words } from '../words.ts';
import { TabItem } from './TabItem.tsx';
import { TabMenu, type TabMenuPlace } from './TabMenu.tsx';
import styles from './Workspace.module.css';
import type { Workspace } from './workspace.ts';

interface Props {
  readonly state: TabsState;
  readonly workspace: Workspace;
  readonly onUpload: (id: string) => void;
  readonly onInvite: (id: string) => void;
  readonly onCloseTabs: (ids: readonly string[]) => void;
}

/** The menu at the end of the row: every tab by its name, and ways to close them. */
function TabList({
  state,
  workspace,
  onCloseTabs,
}: Pick<Props, 'state' | 'workspace' | 'onCloseTabs'>) {
  const active = state.tabs.find(({ id }) => id === state.active);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={30} aria-label={t(words.tabList)}>
          <IconChevronDown size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={styles.tabMenu}>
        <Menu.Label>{t(words.tabList)}</Menu.Label>
        {state.tabs.map((tab) => {
          const session = workspace.session(tab.id);
          return (
            <Menu.Item
              key={tab.id}
              leftSection={
                session ? <StatusMark status={statusOf(session.snapshot())} label /> : null
              }
              rightSection={<span className={styles.menuAddress}>{tab.asset.ip}</span>}
              onClick={() => workspace.dispatch({ type: 'activate', id: tab.id })}
            >
              {tab.title}
            </Menu.Item>
          );
        })}
        <Menu.Divider />
        {active ? (
          <Menu.Item onClick={() => onCloseTabs([active.id])}>
            {t(words.closeNamed, { name: active.title })}
          </Menu.Item>
        ) : null}
        <Menu.Item onClick={() => onCloseTabs(state.tabs.map(({ id }) => id))}>
          {t(words.closeAll)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The row of tabs. The user reaches hidden tabs by scrolling or from the list at the end. */
export function TabStrip({ state, workspace, onUpload, onInvite, onCloseTabs }: Props) {
  const [renaming, showRenaming] = useState<string | null>(null);
  // The second click of a double click must not take the focus from the name field.
  const renamed = useRef<string | null>(null);
  const setRenaming = (id: string | null) => {
    renamed.current = id;
    showRenaming(id);
  };
  const row = useRef<HTMLDivElement>(null);
  useEdges(row);
  // Growing tools make the row narrower: keep the tab in front visible.
  useEffect(() => {
    const element = row.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      element
        .querySelector('[data-active]')
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const [menu, setMenu] = useState<TabMenuPlace | null>(null);
  const rename = (id: string, title: string | null) => {
    setRenaming(null);
    if (title !== null) workspace.dispatch({ type: 'rename', id, title });
  };
  const step = (by: 1 | -1) => {
    workspace.dispatch({ type: 'step', by });
    const { active: next } = workspace.snapshot();
    // Arrow keys keep the focus on the row of tabs.
    requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
  };
  return (
    <>
      <div
        ref={row}
        className={styles.tabs}
        role="tablist"
        aria-label={t(words.tabs)}
        onWheel={(event) => {
          if (event.deltaX === 0) event.currentTarget.scrollLeft += event.deltaY;
        }}
      >
        {state.tabs.map((tab, index) => {
          const session = workspace.session(tab.id);
          if (!session) return null;
          return (
            <TabItem
              key={tab.id}
              tab={tab}
              session={session}
              active={tab.id === state.active}
              renaming={renaming === tab.id}
              onActivate={() => {
                workspace.dispatch({ type: 'activate', id: tab.id });
                requestAnimationFrame(() => {
                  if (renamed.current === null) session.view.focus();
                });
              }}
              onClose={() => onCloseTabs([tab.id])}
              onRename={(title) => rename(tab.id, title)}
              onAskRename={() => setRenaming(tab.id)}
              onMenu={(x, y) => setMenu({ id: tab.id, x, y })}
              onStep={step}
              onDropHere={(id) => workspace.dispatch({ type: 'move', id, to: index })}
            />
          );
        })}
      </div>
      {state.tabs.length > 0 ? (
        <TabList state={state} workspace={workspace} onCloseTabs={onCloseTabs} />
      ) : null}
      <TabMenu
        place={menu}
        state={state}
        workspace={workspace}
        onRename={setRenaming}
        onUpload={onUpload}
        onInvite={onInvite}
        onCloseTabs={onCloseTabs}
        onClose={() => setMenu(null)}
      />
    </>
  );
}

/** Notice of closed tabs; its button restores them with their sessions. */
export function ClosedTabNotice({ workspace }: { readonly workspace: Workspace }) {
  const count = useSyncExternalStore(workspace.subscribe, workspace.parting);
  return (
    <div className={styles.closed} role="status">
      {count > 0 ? (
        <div>
          {t(words.tabsClosed, { count })}
          <button type="button" onClick={() => workspace.reopen()}>
            {t(words.undo)}
          </button>
        </div>
      ) : null}
    </div>
  );
}
