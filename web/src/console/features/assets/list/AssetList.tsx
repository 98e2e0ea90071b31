import { asset, type Row } from '@sallyport/contract';
import { useState } from 'react';
import { COOKIES, readCookie, writeCookie } from '../../../../kit/cookies.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../../kit/lazy-component.tsx';
import { useGo, usePath, useSearchRecord } from '../../../base/navigation.tsx';
import { useActivation } from '../../../resource/bulk/useChangeRows.ts';
import { Reachable } from '../../../resource/job/Reachable.tsx';
import { useAssetTask } from '../../../resource/job/useShowJob.ts';
import { taskWords } from '../../../resource/job/words.ts';
import type { BulkUpdate } from '../../../resource/list/ListDialogs.tsx';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import type { Column } from '../../../resource/list/table/columns.tsx';
import type { RowAction } from '../../../resource/list/table/RowActions.tsx';
import { Chips } from '../../../resource/object/Chips.tsx';
import { PageHeader } from '../../../resource/PageHeader.tsx';
import type { TreeDialog } from '../../../tree/dialogs/TreeDialogs.tsx';
import { FilteredTree } from '../../../tree/FilteredTree.tsx';
import type { NodeData } from '../../../tree/node-data.ts';
import { TreePane } from '../../../tree/TreePane.tsx';
import { type AssetTree, useAssetTree } from '../../../tree/useAssetTree.ts';
import { useChosenNode } from '../../../tree/useChosenNode.ts';
import { words as treeWords } from '../../../tree/words.ts';
import { Clipped, HostCell } from '../../Clipped.tsx';
import { useBreakpoints } from '../../useBreakpoints.ts';
import { AssetState, Connect, LastSessionCell } from './AssetCells.tsx';
import type { LabelDialogProps } from './LabelDialog.tsx';
import { useAssetActs } from './useAssetActs.ts';
import { useGranted } from './useGranted.ts';
import { words } from './words.ts';

const PlatformField = lazyComponent(() =>
  import('../PlatformField.tsx').then((module) => module.PlatformField),
);

const AssetDialogs = lazyComponent(() =>
  import('./AssetDialogs.tsx').then((module) => module.AssetDialogs),
);

const LabelDialog = lazyComponent(() =>
  import('./LabelDialog.tsx').then((module) => module.LabelDialog),
);

const BULK_UPDATE: BulkUpdate = {
  fields: ['platform', 'domain', 'admin_user', 'labels', 'comment'],
  overrides: {
    platform: {
      widget: PlatformField,
    },
  },
};

/** The search parameter with the chosen node. */
const NAMES = ['node'];

type Asset = Row<typeof asset>;

interface ColumnOptions {
  /** Assets that the user may connect to. */
  readonly granted: ReadonlySet<string>;
  readonly narrow: boolean;
  readonly phone: boolean;
}

const columnsOf = ({ granted, narrow, phone }: ColumnOptions): readonly Column<Asset>[] => [
  {
    name: 'hostname',
    width: 140,
    cell: (row) => <HostCell host={row} withAddress={narrow} />,
    after: (row) => granted.has(row.id) && <Connect row={row} />,
  },
  { name: 'ip', mono: true, width: 130, hidden: narrow },
  {
    name: 'is_active',
    label: words.state,
    width: 130,
    hidden: phone,
    cell: (row) => <AssetState row={row} />,
  },
  {
    name: 'nodes',
    width: 130,
    hidden: phone,
    cell: ({ nodes, first_names: first }) => (
      <Chips resource="node" objects={first.nodes} count={nodes.length} most={1} />
    ),
  },
  {
    name: 'last_session',
    width: 120,
    hidden: phone,
    cell: (row) => <LastSessionCell row={row} />,
  },
  {
    name: 'labels',
    width: 110,
    hidden: narrow,
    cell: ({ labels, first_names: first }) => (
      <Chips resource="label" objects={first.labels} count={labels.length} most={1} />
    ),
  },
  { name: 'platform', width: 100, hidden: narrow },
  {
    name: 'connectivity',
    width: 118,
    cell: ({ connectivity }) => <Reachable of={connectivity} />,
    hidden: true,
  },
  {
    name: 'protocols',
    width: 96,
    mono: true,
    cell: ({ protocols }) => <Clipped title={protocols.join(', ')} min={76} />,
    hidden: true,
  },
  {
    name: 'comment',
    cell: ({ comment }) => comment && <Clipped title={comment} min={72} />,
    hidden: true,
  },
  { name: 'hardware_info', hidden: true },
  { name: 'admin_user', hidden: true },
  { name: 'domain', hidden: true },
  { name: 'date_created', hidden: true },
];

/** Searches that are no filter of a column. */
const searches = () => [
  { name: 'label', label: t(words.labelSearch) },
  {
    name: 'connectivity',
    label: t(taskWords.connectivity),
    choices: [taskWords.unreachable, taskWords.reachable, taskWords.unknown].map(
      (word, status) => ({ value: String(status), label: t(word) }),
    ),
  },
];

interface SelectionContext {
  readonly tree: AssetTree;
  readonly node: string | undefined;
  readonly onDialog: (dialog: TreeDialog) => void;
  readonly onLabel: (labeling: Omit<LabelDialogProps, 'onClose'>) => void;
}

/** Returns the actions on selected assets of a node, or of all nodes. */
function useSelectionActions({ tree, node: chosen, onDialog, onLabel }: SelectionContext) {
  const activation = useActivation(asset);
  const actsOn = useAssetActs();
  return (rows: readonly Asset[], done: () => void): readonly RowAction[] => {
    const node = chosen ? tree.loader.known(chosen) : undefined;
    const assets = rows.map(({ id }) => id);
    const [disable, activate] = activation(rows);
    const remove = (from: NodeData): RowAction => ({
      key: 'remove',
      label: t(treeWords.removeAssets),
      run: () => void tree.placeAssets(from, assets, 'remove').then(done, () => undefined),
    });
    return [
      ...actsOn(assets),
      { key: 'label', label: t(words.label), run: () => onLabel({ rows, onDone: done }) },
      {
        key: 'move',
        label: t(treeWords.moveTo),
        run: () => onDialog({ kind: 'pick', placement: 'replace', assets, done }),
      },
      {
        key: 'add',
        label: t(treeWords.addTo),
        run: () => onDialog({ kind: 'pick', placement: 'add', assets, done }),
      },
      ...(node ? [remove(node)] : []),
      activate,
      disable,
    ];
  };
}

/** Lists all assets next to the tree of nodes. The address holds the selected node. */
export function AssetList() {
  const { node: chosen, ...search } = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const tree = useAssetTree();
  const { narrow, phone } = useBreakpoints();
  const { start: startTask } = useAssetTask();
  const { granted, onRows } = useGranted();
  const [labeling, setLabeling] = useState<Omit<LabelDialogProps, 'onClose'>>();
  const [onlyCurrent, setOnlyCurrent] = useState(readCookie(COOKIES.showCurrentAsset) === '1');
  const [dialog, setDialog] = useState<TreeDialog>();
  const chosenNode = useChosenNode(chosen);
  const bulkActions = useSelectionActions({
    tree,
    node: chosen,
    onDialog: setDialog,
    onLabel: setLabeling,
  });

  function select(node: NodeData) {
    chosenNode.keep(node);
    // Selecting another node starts at the first page.
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
        chosen={chosen}
        chosenName={chosenNode.chosenName}
        onRefresh={() => void tree.refresh()}
        tree={<NodeTree tree={tree} chosen={chosen} onSelect={select} onDialog={setDialog} />}
      >
        <ResourceList<Asset>
          key={chosen ?? ''}
          source={asset}
          columns={columnsOf({ granted, narrow, phone })}
          pageNames={NAMES}
          onRows={onRows}
          {...(chosen && { chosen: { node_id: chosen, show_current_asset: onlyCurrent ? 1 : 0 } })}
          {...(chosen && { createSearch: { node: chosen } })}
          hasDelete
          draggable
          searchMore={searches()}
          emptyHint={t(words.emptyAssets)}
          bulkUpdate={BULK_UPDATE}
          setActions={(set, begin) =>
            (['move', 'add'] as const).map((action) => ({
              key: action,
              label: t(action === 'move' ? treeWords.moveTo : treeWords.addTo),
              run: () => setDialog({ kind: 'pick-for-set', action, set, begin }),
            }))
          }
          bulkActions={bulkActions}
        />
      </TreePane>
      {labeling && <LabelDialog {...labeling} onClose={() => setLabeling(undefined)} />}
      {dialog && (
        <AssetDialogs
          open={dialog}
          onOpen={setDialog}
          tree={tree}
          onlyCurrent={onlyCurrent}
          onScope={scope}
          onTask={({ id }, action) => void startTask('nodes', id, action).catch(() => undefined)}
        />
      )}
    </>
  );
}

interface NodeTreeProps {
  readonly tree: AssetTree;
  readonly chosen: string | undefined;
  readonly onSelect: (node: NodeData) => void;
  readonly onDialog: (dialog: TreeDialog) => void;
}

/** The tree of nodes. Asks how to place assets that were dropped without a modifier key. */
function NodeTree({ tree, chosen, onSelect, onDialog }: NodeTreeProps) {
  return (
    <FilteredTree
      loader={tree.loader}
      find={tree.find}
      selected={chosen}
      onSelect={onSelect}
      onMenu={(point) => onDialog({ kind: 'menu', point })}
      onDropRows={(drop) =>
        drop.wish
          ? void tree.placeAssets(drop.node, drop.ids, drop.wish).catch(() => undefined)
          : onDialog({ kind: 'drop', drop })
      }
      onReady={tree.ready}
      onRename={(node, value) => void tree.rename(node, value).catch(() => undefined)}
      onMove={tree.move}
    />
  );
}
