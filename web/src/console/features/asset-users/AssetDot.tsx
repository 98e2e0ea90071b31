import { t } from '../../../kit/i18n/index.ts';
import type { NodeData } from '../../tree/node-data.ts';
import { words } from '../assets/tasks/words.ts';

const STATES = {
  0: { color: 'var(--mantine-color-red-6)', text: words.unreachable },
  1: { color: 'var(--mantine-color-green-6)', text: words.reachable },
  2: { color: 'var(--mantine-color-gray-5)', text: words.unknown },
} as const;

/** Shows as a dot with a text if an asset in the tree was reached. */
export function AssetDot({
  reachability,
}: {
  readonly reachability: NonNullable<NodeData['reachability']>;
}) {
  const { color, text } = STATES[reachability];
  return (
    <span
      role="img"
      aria-label={t(text)}
      title={t(text)}
      style={{
        flex: 'none',
        width: 8,
        height: 8,
        margin: '0 4px',
        borderRadius: 4,
        background: color,
      }}
    />
  );
}
