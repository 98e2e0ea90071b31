import { Menu } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { IconCheck } from '../../../kit/icons.ts';
import { MenuAnchor } from '../../../kit/MenuAnchor.tsx';
import type { NodeData } from '../node-data.ts';
import type { MenuPoint } from '../useNodeTree.ts';
import { words as treeWords } from '../words.ts';
import { words } from './words.ts';

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
export function NodeMenu({
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
