import { assetUser } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { taskWords } from '../../resource/job/words.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { ListByNode, NODE_NAMES } from '../../tree/ListByNode.tsx';
import type { NodeData } from '../../tree/node-data.ts';
import { AssetUserTable } from './AssetUserTable.tsx';
import { HealthStrip } from './HealthStrip.tsx';
import { words } from './words.ts';

const STATES = {
  0: { color: 'var(--mantine-color-red-6)', text: taskWords.unreachable },
  1: { color: 'var(--mantine-color-green-6)', text: taskWords.reachable },
  2: { color: 'var(--mantine-color-gray-5)', text: taskWords.unknown },
} as const;

/** Shows as a dot with a text if an asset in the tree was reached. */
function AssetDot({
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

const LATEST = { latest: 1 };
const dotOf = ({ reachability }: NodeData) =>
  reachability === undefined ? undefined : <AssetDot reachability={reachability} />;

/** Lists the accounts of all assets next to the tree of nodes. */
export function VaultList() {
  return (
    <>
      <PageHeader hint={t(words.vaultHint)} />
      <HealthStrip />
      <ListByNode drawLeaf={dotOf}>
        {(node, asset) => (
          <AssetUserTable
            key={asset ?? node ?? ''}
            pageNames={NODE_NAMES}
            base={LATEST}
            {...(asset ? { chosen: { asset_id: asset } } : node && { chosen: { node_id: node } })}
            createSearch={{}}
            emptyHint={t(words.emptyVault)}
          />
        )}
      </ListByNode>
    </>
  );
}

/** Stores a secret for an account on an asset. */
export function VaultForm() {
  return (
    <FormPage
      source={assetUser}
      groups={[
        {
          title: words.account,
          fields: ['asset', 'username', 'password', 'private_key', 'comment'],
        },
      ]}
    />
  );
}
