import type { TreePickerProps } from '../../resource/form/form-dialogs.ts';
import { AssetPicker } from './AssetPicker.tsx';
import { NodePicker } from './NodePicker.tsx';

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
