import { asset, type Row } from '@sallyport/contract';
import { lazy, Suspense, useState } from 'react';
import { COOKIES, readCookie, writeCookie } from '../../../kit/cookies.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { useActivation } from '../../resource/bulk/useChangeRows.ts';
import type { BulkUpdate } from '../../resource/list/ListDialogs.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { NodeMenu } from '../../tree/NodeMenu.tsx';
import { type MenuPoint, NodeTree } from '../../tree/NodeTree.tsx';
import type { NodeData } from '../../tree/node-data.ts';
import { TreePane } from '../../tree/TreePane.tsx';
import { useAssetTree } from '../../tree/useAssetTree.ts';
import { words as treeWords } from '../../tree/words.ts';
import { Clipped } from '../Clipped.tsx';
import { HostCell } from '../HostCell.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

const NodeInfoDialog = lazy(() => import('../../tree/NodeDialogs.tsx').then((module) => ({ default: module.NodeInfoDialog })));
const PlaceAssetsDialog = lazy(() => import('../../tree/NodeDialogs.tsx').then((module) => ({ default: module.PlaceAssetsDialog })));

type Dialog = { readonly kind: 'add' | 'replace' | 'info'; readonly node: NodeData };

const BULK_UPDATE: BulkUpdate = {
  fields: ['platform', 'domain', 'admin_user', 'labels', 'comment'],
  overrides: { platform: { widget: lazy(() => import('./PlatformField.tsx').then((module) => ({ default: module.PlatformField }))) } },
};

/** The address names the chosen node. */
const NAMES = ['node'];

/** All assets, with the tree of their nodes at the left. The chosen node stands in the address. */
export function AssetList() {
  const { node: chosen, ...search } = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const tree = useAssetTree();
  const { narrow, phone } = useBreakpoints();
  const activation = useActivation(asset);
  const [onlyCurrent, setOnlyCurrent] = useState(readCookie(COOKIES.showCurrentAsset) === '1');
  const [menu, setMenu] = useState<MenuPoint>();
  const [dialog, setDialog] = useState<Dialog>();

  function select(node: NodeData) {
    // Another node is another list: its first page.
    const { page: _page, ...kept } = search;
    void go(path, { search: { ...kept, node: node.id }, replace: true });
  }

  function scope(current: boolean) {
    writeCookie(COOKIES.showCurrentAsset, current ? '1' : '0', { days: 1 });
    setOnlyCurrent(current);
  }

  return (
    <>
      <PageHeader hint={t(words.listHint)} />
      <TreePane
        onRefresh={() => void tree.refresh()}
        tree={
          <NodeTree
            loader={tree.loader}
            selected={chosen}
            onSelect={select}
            onMenu={setMenu}
            onReady={tree.ready}
            onRename={(node, value) => void tree.rename(node, value).catch(() => undefined)}
            onMove={tree.move}
          />
        }
      >
        <ResourceList<Row<typeof asset>>
          key={chosen ?? ''}
          source={asset}
          columns={[
            { name: 'hostname', width: 140, cell: (row) => <HostCell host={row} withAddress={narrow} /> },
            { name: 'ip', mono: true, width: 130, hidden: narrow },
            { name: 'platform', width: 110, hidden: narrow },
            { name: 'protocols', width: 96, mono: true, cell: ({ protocols }) => <Clipped title={protocols.join(', ')} min={76} />, hidden: phone },
            { name: 'is_active', width: 100, hidden: phone },
            { name: 'comment', cell: ({ comment }) => comment && <Clipped title={comment} min={72} />, hidden: narrow },
            { name: 'hardware_info', hidden: true },
            { name: 'admin_user', hidden: true },
            { name: 'domain', hidden: true },
            { name: 'date_created', hidden: true },
          ]}
          pageNames={NAMES}
          {...(chosen && { chosen: { node_id: chosen, show_current_asset: onlyCurrent ? 1 : 0 } })}
          {...(chosen && { createSearch: { node: chosen } })}
          hasDelete
          searchMore={[{ name: 'label', label: t(words.labelSearch) }]}
          emptyHint={t(words.emptyAssets)}
          bulkUpdate={BULK_UPDATE}
          bulkActions={(rows, done) => {
            const node = chosen ? tree.loader.known(chosen) : undefined;
            const ids = rows.map(({ id }) => id);
            return [
              ...activation(rows),
              ...(node
                ? [{ key: 'remove', label: t(treeWords.removeAssets), run: () => void tree.placeAssets(node, ids, 'remove').then(done, () => undefined) }]
                : []),
            ];
          }}
        />
      </TreePane>
      {menu && (
        <NodeMenu
          point={menu}
          onlyCurrent={onlyCurrent}
          onClose={() => setMenu(undefined)}
          onCreate={(node) => void tree.create(node).catch(() => undefined)}
          onRename={tree.startRenaming}
          onDelete={tree.remove}
          onPlace={(node, kind) => setDialog({ kind, node })}
          onScope={scope}
          onInfo={(node) => setDialog({ kind: 'info', node })}
        />
      )}
      <Suspense>
        {dialog?.kind === 'info' && <NodeInfoDialog node={dialog.node} onClose={() => setDialog(undefined)} />}
        {dialog && dialog.kind !== 'info' && (
          <PlaceAssetsDialog
            node={dialog.node}
            placement={dialog.kind}
            onPlace={(assets) => tree.placeAssets(dialog.node, assets, dialog.kind === 'add' ? 'add' : 'replace')}
            onClose={() => setDialog(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}
