import { Menu } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { MenuAnchor } from '../../kit/MenuAnchor.tsx';
import { IconExternalLink, IconFolders, IconStar, IconTerminal2, IconUser } from '../icons.ts';
import { filesAddress } from '../location.ts';
import { offerSshClient } from '../ssh-client/offer-ssh-client.tsx';
import { words } from '../words.ts';
import type { GrantedLeaf } from './tree-rows.ts';

export interface MenuPlace {
  readonly asset: GrantedLeaf;
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly place: MenuPlace | null;
  readonly favorite: boolean;
  readonly onConnect: (asset: GrantedLeaf, as?: 'choose') => void;
  readonly onToggleFavorite: (asset: GrantedLeaf) => void;
  readonly onClose: () => void;
}

/** The address of a window with one terminal to an asset. */
export function ownWindowAddress(asset: string): string {
  return `/luna/connect?${new URLSearchParams({ asset }).toString()}`;
}

/** The menu of an asset at the position of the right click or of the focused row. */
export function AssetMenu({ place, favorite, onConnect, onToggleFavorite, onClose }: Props) {
  if (!place) return null;
  const { asset, x, y } = place;
  return (
    <Menu opened onClose={onClose} position="bottom-start" withinPortal trapFocus returnFocus>
      <Menu.Target>
        <MenuAnchor x={x} y={y} label={t(words.actionsOf, { name: asset.hostname })} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{asset.hostname}</Menu.Label>
        <Menu.Item
          leftSection={<IconTerminal2 size={15} />}
          disabled={!asset.usable}
          onClick={() => onConnect(asset)}
        >
          {t(words.connect)}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconUser size={15} />}
          disabled={!asset.usable}
          onClick={() => onConnect(asset, 'choose')}
        >
          {t(words.connectAs)}
        </Menu.Item>
        {asset.usable ? (
          <Menu.Item
            component="a"
            href={ownWindowAddress(asset.id)}
            target="_blank"
            rel="noopener"
            leftSection={<IconExternalLink size={15} />}
          >
            {t(words.newWindow)}
          </Menu.Item>
        ) : null}
        {asset.protocols.some((protocol) => protocol.startsWith('ssh')) ? (
          <Menu.Item
            component="a"
            href={filesAddress(asset.id)}
            target="_blank"
            rel="noopener"
            leftSection={<IconFolders size={15} />}
          >
            {t(words.fileManager)}
          </Menu.Item>
        ) : null}
        {asset.usable && asset.protocols.some((protocol) => protocol.startsWith('ssh')) ? (
          <Menu.Item
            leftSection={<IconTerminal2 size={15} />}
            onClick={() => void offerSshClient(asset)}
          >
            {t(words.sshClient)}
          </Menu.Item>
        ) : null}
        <Menu.Divider />
        <Menu.Item leftSection={<IconStar size={15} />} onClick={() => onToggleFavorite(asset)}>
          {t(favorite ? words.unfavorite : words.favorite)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
