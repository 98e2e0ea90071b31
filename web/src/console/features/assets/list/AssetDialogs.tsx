import { TreeDialogs, type TreeDialogsProps } from '../../../tree/dialogs/TreeDialogs.tsx';
import { WhoCanReach } from '../../access/index.ts';

/**
 * Menus and dialogs of the asset tree. The information of a node lists the users who can reach it.
 */
export function AssetDialogs(props: TreeDialogsProps) {
  return (
    <TreeDialogs
      {...props}
      about={({ id }) => (
        <>
          <WhoCanReach place="nodes" id={id} />
        </>
      )}
    />
  );
}
