import { Menu } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { MenuAnchor } from '../../kit/MenuAnchor.tsx';
import { filesAddress } from '../location.ts';
import { copySessionId } from '../session/StatusBar.tsx';
import { offerSshClient } from '../ssh-client/offer-ssh-client.tsx';
import { hasBreak } from '../tabs/session-snapshot.ts';
import { canShowBeside, type TabsState } from '../tabs/tabs-state.ts';
import { words } from '../words.ts';
import type { Workspace } from './workspace.ts';

export interface TabMenuPlace {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly place: TabMenuPlace | null;
  readonly state: TabsState;
  readonly workspace: Workspace;
  readonly onRename: (id: string) => void;
  readonly onUpload: (id: string) => void;
  readonly onInvite: (id: string) => void;
  readonly onCloseTabs: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Actions of one tab. */
export function TabMenu({
  place,
  state,
  workspace,
  onRename,
  onUpload,
  onInvite,
  onCloseTabs,
  onClose,
}: Props) {
  const session = place ? workspace.session(place.id) : undefined;
  if (!place || !session) return null;
  const { id, x, y } = place;
  const { connection, choice } = session.snapshot();
  const overSsh =
    choice.kind === 'chosen' && choice.account.protocol === 'ssh' ? choice.account.id : undefined;
  const sessionId =
    connection.phase === 'open' || connection.phase === 'closed' ? connection.session : null;
  const others = state.tabs.filter((tab) => tab.id !== id).map((tab) => tab.id);
  const right = state.tabs
    .slice(state.tabs.findIndex((tab) => tab.id === id) + 1)
    .map((tab) => tab.id);
  return (
    <Menu opened onClose={onClose} position="bottom-start" withinPortal trapFocus returnFocus>
      <Menu.Target>
        <MenuAnchor x={x} y={y} label={session.asset.hostname} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onRename(id)}>{t(words.rename)}</Menu.Item>
        <Menu.Item onClick={() => workspace.duplicate(id)}>{t(words.duplicate)}</Menu.Item>
        <Menu.Item onClick={() => workspace.duplicate(id, 'choose')}>
          {t(words.connectAs)}
        </Menu.Item>
        {state.split.includes(id) ? (
          <Menu.Item onClick={() => workspace.dispatch({ type: 'alone', id })}>
            {t(words.showAlone)}
          </Menu.Item>
        ) : (
          <Menu.Item
            disabled={!canShowBeside(state, id)}
            onClick={() => workspace.dispatch({ type: 'beside', id })}
          >
            {t(words.showBeside)}
          </Menu.Item>
        )}
        <Menu.Item
          component="a"
          href={filesAddress(session.asset.id)}
          target="_blank"
          rel="noopener"
        >
          {t(words.fileManager)}
        </Menu.Item>
        <Menu.Item onClick={() => onUpload(id)}>{t(words.uploadFiles)}</Menu.Item>
        <Menu.Item disabled={connection.phase !== 'open'} onClick={() => onInvite(id)}>
          {t(words.invite)}
        </Menu.Item>
        {overSsh === undefined ? null : (
          <Menu.Item onClick={() => void offerSshClient(session.asset, overSsh)}>
            {t(words.sshClient)}
          </Menu.Item>
        )}
        {hasBreak(session.snapshot()) ? (
          <Menu.Item onClick={() => session.sendBreak()}>{t(words.sendBreak)}</Menu.Item>
        ) : null}
        <Menu.Item disabled={session.isLive} onClick={() => session.reconnect()}>
          {t(words.reconnect)}
        </Menu.Item>
        <Menu.Item
          disabled={sessionId === null}
          onClick={() => sessionId && void copySessionId(sessionId)}
        >
          {t(words.copySession)}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => onCloseTabs([id])}>{t(words.closeTab)}</Menu.Item>
        <Menu.Item disabled={others.length === 0} onClick={() => onCloseTabs(others)}>
          {t(words.closeOthers)}
        </Menu.Item>
        <Menu.Item disabled={right.length === 0} onClick={() => onCloseTabs(right)}>
          {t(words.closeRight)}
        </Menu.Item>
        <Menu.Item onClick={() => onCloseTabs(state.tabs.map((tab) => tab.id))}>
          {t(words.closeAll)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
