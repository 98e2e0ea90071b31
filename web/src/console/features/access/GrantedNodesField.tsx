import { formatNumber } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { ReferenceField } from '../../resource/form/ReferenceField.tsx';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { narrowed } from '../../resource/references.ts';
import { textOf } from '../../resource/source.ts';
import { words } from './words.ts';

const isRoot = (node: object) => !textOf(node, 'key').includes(':');

/**
 * Shows each node with its number of assets. The root of the tree grants everything, so the field
 * asks for confirmation.
 */
const NODES = {
  ...narrowed('node', {}),
  label: (node: object) =>
    `${textOf(node, 'full_value')} (${formatNumber(Number(textOf(node, 'assets_amount')))})`,
  caution: (node: object) =>
    isRoot(node) ? t(words.grantsAll, { count: Number(textOf(node, 'assets_amount')) }) : undefined,
};

/** Chooses the nodes of a permission. */
export function GrantedNodesField(props: WidgetProps) {
  return <ReferenceField {...props} reference={NODES} />;
}
