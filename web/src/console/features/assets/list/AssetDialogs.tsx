import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { TreeDialogs, type TreeDialogsProps } from '../../../tree/dialogs/TreeDialogs.tsx';

const WhoCanReach = lazy(() => import('../../access/AccessLists.tsx').then((module) => ({ default: module.WhoCanReach })));

/** The menus and dialogs of the asset tree; the information of a node says who can reach it. */
export function AssetDialogs(props: TreeDialogsProps) {
  return (
    <TreeDialogs
      {...props}
      about={({ id }) => (
        <Suspense fallback={<Skeleton height={320} />}>
          <WhoCanReach place="nodes" id={id} />
        </Suspense>
      )}
    />
  );
}
