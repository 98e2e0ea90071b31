import { t } from '../../../kit/i18n/index.ts';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FilteredTree } from '../../tree/FilteredTree.tsx';
import { TreePane } from '../../tree/TreePane.tsx';
import { useAssetTree } from '../../tree/useAssetTree.ts';
import { PermissionRules } from './PermissionRules.tsx';
import { words } from './words.ts';

/** All rules; a node of the tree narrows them to those that reach it. */
export function AssetPermissionList() {
  const { node: chosen, ...search } = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const tree = useAssetTree();
  return (
    <>
      <PageHeader hint={t(words.listHint)} />
      <TreePane
        onRefresh={() => void tree.refresh()}
        tree={
          <FilteredTree
            loader={tree.loader}
            find={tree.find}
            selected={chosen}
            onReady={tree.ready}
            onSelect={(node) => {
              const { page: _page, ...kept } = search;
              // Choosing the chosen one again shows all rules.
              void go(path, { search: { ...kept, node: node.id === chosen ? undefined : node.id }, replace: true });
            }}
          />
        }
      >
        <PermissionRules key={chosen ?? ''} chosen={chosen ? { node_id: chosen } : {}} preset={chosen ? { node: chosen } : {}} />
      </TreePane>
    </>
  );
}
