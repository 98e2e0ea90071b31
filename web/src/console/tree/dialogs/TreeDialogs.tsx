import { Menu } from '@mantine/core';
import type { Dispatch, ReactNode, SetStateAction } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconCheck } from '../../../kit/icons.ts';
import { MenuAnchor } from '../../../kit/MenuAnchor.tsx';
import type { ChosenSet } from '../../resource/list/selection/selection.ts';
import type { BeginBulk } from '../../resource/set/SetBar.tsx';
import type { NodeData } from '../node-data.ts';
import type { AssetTree } from '../useAssetTree.ts';
import type { MenuPoint, RowDrop } from '../useNodeTree.ts';
import { words as treeWords } from '../words.ts';
import { NodeInfoDialog, PlaceAssetsDialog } from './NodeDialogs.tsx';
import { NodePicker, type PickedNode } from './NodePicker.tsx';
import { words } from './words.ts';

interface DropMenuProps {
  readonly drop: RowDrop;
  readonly onPlace: (placement: 'add' | 'replace') => void;
  readonly onClose: () => void;
}

/** Asks after a drop: move or add the assets? */
function DropMenu({ drop: { node, ids, x, y }, onPlace, onClose }: DropMenuProps) {
  const place = { count: ids.length, node: node.value };
  return (
    <Menu opened onClose={onClose} position="bottom-start" withinPortal returnFocus>
      <Menu.Target>
        <MenuAnchor x={x} y={y} label={t(words.dropped, place)} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t(words.dropped, place)}</Menu.Label>
        <Menu.Item onClick={() => onPlace('replace')} rightSection={<kbd>Shift</kbd>}>
          {t(words.moveHere)}
        </Menu.Item>
        <Menu.Item onClick={() => onPlace('add')} rightSection={<kbd>Ctrl</kbd>}>
          {t(words.addHere)}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item>{t(common.cancel)}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The open menu or dialog of the asset tree. */
export type TreeDialog =
  | { readonly kind: 'menu'; readonly point: MenuPoint }
  | { readonly kind: 'info' | 'add' | 'replace'; readonly node: NodeData }
  | { readonly kind: 'drop'; readonly drop: RowDrop }
  /** Chooses a node for assets. */
  | {
      readonly kind: 'pick';
      readonly placement: 'add' | 'replace';
      readonly assets: readonly string[];
      readonly done: () => void;
    }
  /** Chooses a node for all assets of a set. */
  | {
      readonly kind: 'pick-for-set';
      readonly action: 'move' | 'add';
      readonly set: ChosenSet;
      readonly begin: BeginBulk;
    };

export interface TreeDialogsProps {
  readonly open: TreeDialog;
  readonly onOpen: Dispatch<SetStateAction<TreeDialog | undefined>>;
  readonly tree: AssetTree;
  readonly onlyCurrent: boolean;
  readonly onScope: (onlyCurrent: boolean) => void;
  /** Starts a job on the servers below a node. */
  readonly onTask: (node: NodeData, action: 'test' | 'refresh') => void;
  /** Further facts in the information dialog of a node. */
  readonly about?: (node: NodeData) => ReactNode;
}

/** Renders the open menu or dialog. */
export function TreeDialogs({
  open,
  onOpen,
  tree,
  onlyCurrent,
  onScope,
  onTask,
  about,
}: TreeDialogsProps) {
  // A menu closes after its entry has opened the next dialog; keep that one.
  const close = () => onOpen((now) => (now === open ? undefined : now));
  if (open.kind === 'menu')
    return (
      <NodeMenu
        point={open.point}
        onlyCurrent={onlyCurrent}
        onClose={close}
        onCreate={(node) => void tree.create(node).catch(() => undefined)}
        onRename={tree.startRenaming}
        onDelete={tree.remove}
        onPlace={(node, kind) => onOpen({ kind, node })}
        onScope={onScope}
        onTask={onTask}
        onInfo={(node) => onOpen({ kind: 'info', node })}
      />
    );
  if (open.kind === 'info')
    return (
      <NodeInfoDialog node={open.node} onClose={close}>
        {about?.(open.node)}
      </NodeInfoDialog>
    );
  if (open.kind === 'drop') {
    const { node, ids } = open.drop;
    return (
      <DropMenu
        drop={open.drop}
        onClose={close}
        onPlace={(placement) => void tree.placeAssets(node, ids, placement).catch(() => undefined)}
      />
    );
  }
  if (open.kind === 'pick') {
    const { placement, assets, done } = open;
    return (
      <NodePicker
        title={t(placement === 'add' ? treeWords.addTo : treeWords.moveTo)}
        confirm={t(placement === 'add' ? words.addHere : words.moveHere)}
        onPick={([node]) =>
          void (
            node &&
            tree
              .placeAssets({ id: node.id, value: node.value ?? '' }, assets, placement)
              .then(done, () => undefined)
          )
        }
        onClose={close}
      />
    );
  }
  if (open.kind === 'pick-for-set') {
    const { action, set, begin } = open;
    const ask = ({ id, value = '' }: PickedNode) =>
      begin(
        { action, target: id },
        {
          message: t(action === 'move' ? words.moveQuestion : words.addQuestion, {
            count: set.count,
            node: value,
          }),
          confirm: t(action === 'move' ? words.moveHere : words.addHere),
          consequences: { action, resource: 'asset', spm: set.spm, target: id },
        },
      );
    return (
      <NodePicker
        title={t(action === 'add' ? treeWords.addTo : treeWords.moveTo)}
        confirm={t(action === 'add' ? words.addHere : words.moveHere)}
        onPick={([node]) => node && ask(node)}
        onClose={close}
      />
    );
  }
  const { node, kind } = open;
  return (
    <PlaceAssetsDialog
      node={node}
      placement={kind}
      onPlace={(assets) => tree.placeAssets(node, assets, kind)}
      onClose={close}
    />
  );
}

interface NodeMenuProps {
  readonly point: MenuPoint;
  readonly onlyCurrent: boolean;
  readonly onClose: () => void;
  readonly onCreate: (node: NodeData) => void;
  readonly onRename: (node: NodeData) => void;
  readonly onDelete: (node: NodeData) => void;
  readonly onPlace: (node: NodeData, placement: 'add' | 'replace') => void;
  readonly onTask: (node: NodeData, action: 'test' | 'refresh') => void;
  readonly onScope: (onlyCurrent: boolean) => void;
  readonly onInfo: (node: NodeData) => void;
}

/** The context menu of a node. */
function NodeMenu({
  point,
  onlyCurrent,
  onClose,
  onCreate,
  onRename,
  onDelete,
  onPlace,
  onTask,
  onScope,
  onInfo,
}: NodeMenuProps) {
  const { node, x, y } = point;
  return (
    <Menu opened onClose={onClose} position="bottom-start" withinPortal returnFocus>
      <Menu.Target>
        <MenuAnchor x={x} y={y} label={t(treeWords.menuOf, { name: node.value })} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onCreate(node)}>{t(words.create)}</Menu.Item>
        {!node.fixed && <Menu.Item onClick={() => onRename(node)}>{t(words.rename)}</Menu.Item>}
        {!node.fixed && (
          <Menu.Item color="red" onClick={() => onDelete(node)}>
            {t(words.delete)}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item onClick={() => onPlace(node, 'add')}>{t(words.addAssets)}</Menu.Item>
        <Menu.Item onClick={() => onPlace(node, 'replace')}>{t(words.moveAssets)}</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => onTask(node, 'refresh')}>{t(words.refreshHardware)}</Menu.Item>
        <Menu.Item onClick={() => onTask(node, 'test')}>{t(words.testAssets)}</Menu.Item>
        <Menu.Divider />
        <Menu.Item
          rightSection={onlyCurrent ? <IconCheck size={14} /> : null}
          onClick={() => onScope(true)}
        >
          {t(words.onlyCurrent)}
        </Menu.Item>
        <Menu.Item
          rightSection={onlyCurrent ? null : <IconCheck size={14} />}
          onClick={() => onScope(false)}
        >
          {t(words.allChildren)}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => onInfo(node)}>{t(words.info)}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
