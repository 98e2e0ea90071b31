import { useQuery } from '@tanstack/react-query';
import { AdministratorHint } from '../../kit/access-request/AdministratorHint.tsx';
import { common, t } from '../../kit/i18n/index.ts';
import { words } from '../words.ts';
import { AssetTree } from './AssetTree.tsx';
import { loadRoots } from './load-branch.ts';
import { Notice, type PartProps, Waiting } from './PanelNotice.tsx';

export function WholeTree({
  version,
  favoritesVersion,
  onRefresh,
  ...part
}: PartProps & {
  readonly version: number;
  readonly favoritesVersion: number;
  readonly onRefresh: () => void;
}) {
  const { data, isPending, error, dataUpdatedAt } = useQuery({
    queryKey: ['granted-tree', version],
    queryFn: ({ signal }) => loadRoots(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isPending) return <Waiting />;
  if (error)
    return (
      <Notice
        title={t(words.treeFailed)}
        hint={error.message}
        action={t(common.retry)}
        onAction={onRefresh}
      />
    );
  if (
    data.every(
      ({ meta, id }) => meta.type === 'node' && id.startsWith('-') && meta.node.assets_amount === 0,
    )
  ) {
    const hint = (
      <>
        {t(words.noAssetsHint)}
        <AdministratorHint />
      </>
    );
    return (
      <Notice
        title={t(words.noAssets)}
        hint={hint}
        action={t(common.refresh)}
        onAction={onRefresh}
      />
    );
  }
  return (
    <AssetTree key={dataUpdatedAt} first={data} favoritesVersion={favoritesVersion} {...part} />
  );
}
