import { allows, asset, assetUser, label, Permission, type Row } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { difference } from '../../resource/detail/change-pairs.ts';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { Figures } from '../../resource/detail/Figures.tsx';
import type { ResourceDetailModel } from '../../resource/detail/useResourceDetail.ts';
import { words as detailWords } from '../../resource/detail/words.ts';
import { Reachable } from '../../resource/job/Reachable.tsx';
import { useAssetTask } from '../../resource/job/useShowJob.ts';
import { taskWords } from '../../resource/job/words.ts';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { referenceTo } from '../../resource/references.ts';
import { useCount } from '../../resource/useCount.ts';
import { accessWords, WhoCanReach } from '../access/index.ts';
import { AssetAccounts } from '../asset-users/index.ts';
import { PermissionRules } from '../perms/index.ts';
import { SessionsCard, useSessionsFigure, useSessionsTab } from '../sessions/index.ts';
import { AssetButtons } from './AssetButtons.tsx';
import { HostKeysCard } from './host-keys/HostKeysCard.tsx';
import { ReachPicture } from './reach/ReachPicture.tsx';
import { words } from './words.ts';

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

interface OverviewProps {
  readonly object: Asset;
  readonly detail: ResourceDetailModel<Asset>;
}

const ACCOUNTS = 'AssetUserList';
const ACCESS = 'AssetAccess';

/** Users, accounts and sessions of an asset, as numbers that lead to their tabs. */
function AssetFigures({ object: { id } }: { readonly object: Asset }) {
  const users = useCount({ path: `perms/access/assets/${id}/users` });
  const accounts = useCount(assetUser, { asset_id: id, latest: 1 });
  const sessions = useSessionsFigure({ asset_id: id });
  return (
    <Figures
      figures={[
        { label: accessWords.whoCount, value: users, tab: ACCESS },
        { label: words.accounts, value: accounts, tab: ACCOUNTS },
        ...(sessions ? [sessions] : []),
      ]}
    />
  );
}

/** The fields and latest sessions of an asset. */
function AssetFacts({ object }: { readonly object: Asset }) {
  const { role } = useSession();
  return (
    <>
      <DetailCard
        source={asset}
        object={object}
        facts={[
          'hostname',
          'ip',
          'protocols',
          'public_ip',
          'platform',
          'admin_user',
          'domain',
          'is_active',
          {
            name: 'connectivity',
            label: asset.fields.connectivity.label,
            value: ({ connectivity }) => <Reachable of={connectivity} isLong />,
          },
          ...HARDWARE,
          'date_created',
          'created_by',
          'comment',
        ]}
      />
      {allows(role.current, Permission.AUDIT) && (
        <SessionsCard by={{ asset_id: object.id }} shows="user" />
      )}
    </>
  );
}

/** The actions, host keys, nodes and labels of an asset. */
function AssetSide({ object, detail: { activate, change, refresh } }: OverviewProps) {
  const nodes = referenceTo('node');
  const labels = referenceTo(label.name);
  const { start: startTask } = useAssetTask();
  return (
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
  );
}

/** One asset: overview, access, accounts and activity. */
export function AssetDetail() {
  const sessionsTab = useSessionsTab();
  return (
    <DetailPage<Asset>
      source={asset}
      hasDelete
      nameOf={({ hostname, ip }) => `${hostname}(${ip})`}
      buttons={(object) => <AssetButtons asset={object} />}
      past={({ id }) => sessionsTab({ asset_id: id })}
      tabs={(object, detail) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <>
              <AssetFigures object={object} />
              <ReachPicture asset={object} usersTab={ACCESS} />
              <DetailColumns
                left={<AssetFacts object={object} />}
                right={<AssetSide object={object} detail={detail} />}
              />
            </>
          ),
        },
        {
          name: 'Access',
          label: t(detailWords.access),
          sections: [
            {
              name: ACCESS,
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
          ],
        },
        {
          name: ACCOUNTS,
          label: t(words.accounts),
          render: () => <AssetAccounts asset={object.id} />,
        },
      ]}
    />
  );
}
