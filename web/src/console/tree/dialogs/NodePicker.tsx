import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { FilteredTree } from '../FilteredTree.tsx';
import type { NodeData } from '../node-data.ts';
import { findNodes, useNodeLoader } from '../useAssetTree.ts';
import styles from './Picker.module.css';
import { words } from './words.ts';

/** A chosen node. Preselected nodes have only an id. */
export type PickedNode = Pick<NodeData, 'id'> & Partial<NodeData>;

interface NodePickerProps {
  readonly title: string;
  /** Button label instead of “Choose 2 nodes”. */
  readonly confirm?: string;
  /** Ids of preselected nodes; if given, several nodes can be chosen. */
  readonly chosen?: readonly string[];
  readonly onPick: (nodes: readonly PickedNode[]) => void;
  readonly onClose: () => void;
}

/** A dialog with the asset tree, for choosing nodes. */
export function NodePicker({ title, confirm, chosen, onPick, onClose }: NodePickerProps) {
  const loader = useNodeLoader();
  const [picked, setPicked] = useState<ReadonlyMap<string, PickedNode>>(
    new Map((chosen ?? []).map((id) => [id, { id }])),
  );
  const isMultiple = chosen !== undefined;
  const ids = new Set(picked.keys());

  function onSelect(node: NodeData) {
    const next = new Map(isMultiple ? picked : []);
    if (!next.delete(node.id)) next.set(node.id, node);
    setPicked(next);
  }

  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack>
        <div className={styles.picker}>
          <FilteredTree
            loader={loader}
            find={findNodes}
            selected={isMultiple ? undefined : [...ids][0]}
            {...(isMultiple && { chosen: ids })}
            onSelect={onSelect}
          />
        </div>
        <Group justify="space-between" gap="xs">
          <Text fz="sm" c="dimmed" role="status">
            {isMultiple
              ? t(words.nodesChosen, { count: ids.size })
              : ([...picked.values()][0]?.value ?? t(words.noneChosen))}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              {t(common.cancel)}
            </Button>
            <Button
              disabled={ids.size === 0 && !isMultiple}
              onClick={() => {
                onClose();
                onPick([...picked.values()]);
              }}
            >
              {confirm ?? t(words.pickNodes, { count: ids.size })}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  );
}
