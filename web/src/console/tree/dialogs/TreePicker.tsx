import { Modal } from '@mantine/core';
import { asset, type Row } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import type { TreePickerProps } from '../../resource/form/form-dialogs.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { FilteredTree } from '../FilteredTree.tsx';
import { findNodes, useNodeLoader } from '../useAssetTree.ts';
import { NodePicker } from './NodePicker.tsx';
import styles from './Picker.module.css';
import { words } from './words.ts';

interface AssetPickerProps {
  readonly title: string;
  readonly onPick: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}

/** A dialog with the asset tree and the assets of its nodes, for choosing assets. */
function AssetPicker({ title, onPick, onClose }: AssetPickerProps) {
  const loader = useNodeLoader();
  const [node, setNode] = useState<string>();
  return (
    <Modal opened onClose={onClose} title={title} size="min(1100px, 94vw)">
      <div className={styles.assetPicker}>
        <div className={styles.picker}>
          <FilteredTree
            loader={loader}
            find={findNodes}
            selected={node}
            onSelect={({ id }) => setNode(id === node ? undefined : id)}
          />
        </div>
        {/* The selection survives a change of the node. */}
        <ResourceList<Row<typeof asset>>
          source={asset}
          embedded
          columns={[{ name: 'hostname' }, { name: 'ip', mono: true }, { name: 'platform' }]}
          link={() => undefined}
          {...(node && { chosen: { node_id: node, show_current_asset: 0 } })}
          bulkActions={(rows) => [
            {
              key: 'pick',
              label: t(words.pickAssets, { count: rows.length }),
              run: () => {
                onClose();
                onPick(rows.map(({ id }) => id));
              },
            },
          ]}
        />
      </div>
    </Modal>
  );
}

export function TreePicker({ resource, title, chosen, onPick, onClose }: TreePickerProps) {
  if (resource === 'asset')
    return (
      <AssetPicker
        title={title}
        onPick={(ids) => onPick(ids.map((id) => ({ id })))}
        onClose={onClose}
      />
    );
  return (
    <NodePicker
      title={title}
      {...(chosen && { chosen })}
      onPick={(nodes) =>
        onPick(
          nodes.map(({ id, key, amount }) => ({
            id,
            ...(key !== undefined && { key }),
            assets_amount: amount ?? 0,
          })),
        )
      }
      onClose={onClose}
    />
  );
}
