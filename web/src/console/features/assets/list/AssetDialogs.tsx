import { Skeleton } from '@mantine/core';
import { Loading, lazyComponent } from '../../../../kit/lazy-component.tsx';
import { TreeDialogs, type TreeDialogsProps } from '../../../tree/dialogs/TreeDialogs.tsx';

const WhoCanReach = lazyComponent(() =>
  import('../../access/AccessLists.tsx').then((module) => module.WhoCanReach),
);

/**
 * Menus and dialogs of the asset tree. The information of a node lists the users who can reach it.
 */
export function AssetDialogs(props: TreeDialogsProps) {
  return (
    <TreeDialogs
      {...props}
      about={({ id }) => (
        <Loading fallback={<Skeleton height={320} />}>
          <WhoCanReach place="nodes" id={id} />
        </Loading>
      )}
    />
  );
}
