import { asset, label, type Row } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { difference } from '../../resource/detail/change-pairs.ts';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { referenceTo } from '../../resource/references.ts';
import { WhoCanReach } from '../access/AccessLists.tsx';
import { words as accessWords } from '../access/words.ts';
import { words as accountWords } from '../asset-users/words.ts';
import { PermissionRules } from '../perms/PermissionRules.tsx';
import { useSessionsTab } from '../sessions/useSessionsTab.tsx';
import { AssetButtons } from './AssetButtons.tsx';
import { HostKeysCard } from './host-keys/HostKeysCard.tsx';
import { Reachable } from './tasks/Reachable.tsx';
import { useAssetTask } from './tasks/useShowJob.ts';
import { words as taskWords } from './tasks/words.ts';
import { words } from './words.ts';

// Loaded with its tab.
const AssetAccounts = lazyComponent(() =>
  import('../asset-users/Accounts.tsx').then((module) => module.AssetAccounts),
);

type Asset = Row<typeof asset>;

const HARDWARE = [
  'os',
  'vendor',
  'model',
  'cpu_model',
  'memory',
  'disk_total',
  'sn',
  'number',
] as const;

/**
 * Adds the asset to nodes and removes it from others. Saves only the difference, so it keeps nodes
 * that another administrator added.
 */
async function changeNodes({ id, nodes }: Asset, after: readonly string[]): Promise<void> {
  const { added, removed } = difference(nodes, after);
  for (const node of added) await api.put(`assets/nodes/${node}/assets/add/`, { assets: [id] });
  for (const node of removed)
    await api.put(`assets/nodes/${node}/assets/remove/`, { assets: [id] });
}

/** Shows one asset with its facts, nodes, labels and host keys. */
export function AssetDetail() {
  const nodes = referenceTo('node');
  const labels = referenceTo(label.name);
  const sessionsTab = useSessionsTab();
  const { start: startTask } = useAssetTask();
  return (
    <DetailPage<Asset>
      source={asset}
      hasDelete
      nameOf={({ hostname, ip }) => `${hostname}(${ip})`}
      buttons={(object) => <AssetButtons asset={object} />}
      tabs={(object, { activate, change, refresh }) => [
        {
          name: 'Detail',
          label: t(words.assetDetail),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={asset}
                  object={object}
                  facts={[
                    'hostname',
                    'ip',
                    'protocols',
                    'public_ip',
                    'admin_user',
                    'domain',
                    'platform',
                    'is_active',
                    {
                      name: 'connectivity',
                      label: asset.fields.connectivity.label,
                      value: ({ connectivity }) => <Reachable of={connectivity} isLong />,
                    },
                    // Hardware is known only after an inventory; empty facts are left out.
                    ...HARDWARE.filter((name) => object[name]),
                    'date_created',
                    'created_by',
                    'comment',
                  ]}
                />
              }
              right={
                <>
                  <QuickActionsCard
                    actions={[
                      {
                        key: 'active',
                        title: t(words.isActive),
                        checked: object.is_active,
                        toggle: (on) => activate(object.hostname, on),
                      },
                      ...(['refresh', 'test'] as const).map((action) => ({
                        key: action,
                        title: t(taskWords[action]),
                        button: t(taskWords.run),
                        run: () => startTask('assets', object.id, action),
                      })),
                    ]}
                  />
                  <HostKeysCard id={object.id} />
                  {nodes && (
                    <RelationCard
                      title={t(words.node)}
                      reference={nodes}
                      value={object.nodes}
                      min={1}
                      onChange={(ids) => changeNodes(object, ids).finally(() => void refresh())}
                    />
                  )}
                  {labels && (
                    <RelationCard
                      title={t(words.label)}
                      reference={labels}
                      value={object.labels}
                      onChange={(ids) => change({ labels: ids })}
                    />
                  )}
                </>
              }
            />
          ),
        },
        {
          name: 'AssetUserList',
          label: t(accountWords.accounts),
          render: () => <AssetAccounts asset={object.id} />,
        },
        {
          name: 'AssetAccess',
          label: t(accessWords.whoTitle),
          render: () => <WhoCanReach place="assets" id={object.id} />,
        },
        {
          name: 'AssetPermissions',
          label: t(words.permissions),
          render: () => (
            <PermissionRules
              base={{ asset_id: object.id }}
              embedded
              createSearch={{ asset: object.id }}
            />
          ),
        },
        ...sessionsTab({ asset_id: object.id }),
      ]}
    />
  );
}
