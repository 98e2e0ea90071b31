import type { Reference } from '../references.ts';
import { type PickedObject, useFormDialogs } from './form-dialogs.ts';
import { afterCaution } from './useRemoteOptions.ts';

interface BrowseTreeProps {
  readonly reference: Reference;
  readonly label: string;
  readonly multiple: boolean;
  readonly value: readonly string[];
  readonly exclude: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Returns the tree resource that a reference offers, or undefined if no tree offers it. */
export const inTree = ({ resource }: Reference): 'node' | 'asset' | undefined =>
  resource === 'node' || resource === 'asset' ? resource : undefined;

/**
 * The tree in a dialog, instead of the list of a select. Deselecting a node removes it from the
 * selection; assets can only be added.
 */
export function BrowseTree({
  reference,
  label,
  multiple,
  value,
  exclude,
  onChange,
  onClose,
}: BrowseTreeProps) {
  const { TreePicker } = useFormDialogs();
  const resource = inTree(reference);
  if (!TreePicker || !resource) return null;

  function take(objects: readonly PickedObject[]) {
    const ids = objects.map(({ id }) => id).filter((id) => !exclude.includes(id));
    const next = !multiple
      ? ids.slice(0, 1)
      : resource === 'asset'
        ? [...new Set([...value, ...ids])]
        : ids;
    const cautions = objects
      .filter(({ id }) => next.includes(id) && !value.includes(id))
      .map((one) => reference.caution?.(one));
    afterCaution(
      cautions.find((one) => one !== undefined),
      () => onChange(next),
    );
  }

  return (
    <TreePicker
      resource={resource}
      title={label}
      chosen={multiple ? value : undefined}
      onPick={take}
      onClose={onClose}
    />
  );
}
