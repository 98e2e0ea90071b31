import { Menu } from '@mantine/core';
import { common, t } from '../../../kit/i18n/index.ts';
import { MenuAnchor } from '../../../kit/MenuAnchor.tsx';
import type { RowDrop } from '../useNodeTree.ts';
import { words } from './words.ts';

interface DropMenuProps {
  readonly drop: RowDrop;
  readonly onPlace: (placement: 'add' | 'replace') => void;
  readonly onClose: () => void;
}

/** Asks after a drop: move or add the assets? */
export function DropMenu({ drop: { node, ids, x, y }, onPlace, onClose }: DropMenuProps) {
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
