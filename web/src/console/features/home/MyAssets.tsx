import type { TreeInstance } from '@headless-tree/core';
import { Button, Modal, UnstyledButton } from '@mantine/core';
import { asset, type GrantedAsset, type TreeNode } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { AdministratorHint } from '../../../kit/access-request/AdministratorHint.tsx';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconStar, IconStarFilled, IconTerminal2 } from '../../../kit/icons.ts';
import { byWindow, filesAddress, terminalAddress, windowLink } from '../../base/addresses.ts';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { useFavorites } from '../../base/useFavorites.ts';
import { words as baseWords } from '../../base/words.ts';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { rowsAtFirst } from '../../resource/list/list-state.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { Column } from '../../resource/list/table/columns.tsx';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { cacheKey, type Source } from '../../resource/source.ts';
import { FilteredTree } from '../../tree/FilteredTree.tsx';
import { createNodeLoader, type NodeData, TREE_ROOT } from '../../tree/node-data.ts';
import { TreePane } from '../../tree/TreePane.tsx';
import { useChosenNode } from '../../tree/useChosenNode.ts';
import { Clipped, HostCell } from '../Clipped.tsx';
import { SystemUserNames } from '../perms/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { QuickConnect } from './QuickConnect.tsx';
import { words } from './words.ts';

const sourceOf = (path: string): Source => ({
  name: 'my_asset',
  path,
  title: words.myAssets,
  labelField: 'hostname',
  fields: asset.fields,
});

const MINE = { path: 'perms/users/assets' };

const LEVEL = 'perms/users/nodes/children/tree/';

const findMine = (search: string) => api.get<readonly TreeNode[]>(LEVEL, { query: { search } });

/** File transfer requires SSH. */
const hasFiles = ({ protocols }: GrantedAsset) =>
  protocols.some((protocol) => protocol.startsWith('ssh/'));

const connect: Column<GrantedAsset> = {
  name: 'connect',
  label: words.connect,
  width: 110,
  essential: true,
  cell: ({ id, hostname, not_now: refusal }) => (
    <Button
      component="a"
      href={terminalAddress(id)}
      target="_blank"
      rel="noopener"
      size="compact-sm"
      // The refusal is as old as the list, so the user may still try.
      variant={refusal ? 'default' : 'light'}
      title={refusal}
      aria-label={t(refusal ? words.notNowTo : words.connectTo, {
        name: hostname,
        reason: refusal ?? '',
      })}
    >
      {t(refusal ? words.notNow : words.connect)}
    </Button>
  ),
};

/** The query parameter of the chosen node. */
const NAMES = ['node'];

interface ColumnOptions {
  readonly narrow: boolean;
  readonly phone: boolean;
  readonly onShow: (row: GrantedAsset) => void;
}

const columnsOf = ({ narrow, phone, onShow }: ColumnOptions): readonly Column<GrantedAsset>[] => [
  // Users of phones come to connect.
  ...(phone ? [connect] : []),
  {
    name: 'hostname',
    width: 190,
    cell: (row) => (
      <UnstyledButton
        c="var(--mantine-color-anchor)"
        fz="inherit"
        display="block"
        w="100%"
        onClick={() => onShow(row)}
      >
        <HostCell host={row} withAddress={narrow} />
      </UnstyledButton>
    ),
  },
  { name: 'ip', mono: true, width: 160, hidden: narrow },
  {
    name: 'system_users',
    label: words.systemUsers,
    width: 160,
    cell: (row) => <SystemUserNames url={`perms/users/assets/${row.id}/system-users/`} />,
  },
  ...(phone ? [] : [connect]),
  {
    name: 'comment',
    hidden: narrow,
    cell: ({ comment }) => comment && <Clipped title={comment} />,
  },
  { name: 'platform', hidden: true },
];

/** Returns the loader of the user's own nodes, and how to read nodes and list again. */
function useMyNodes() {
  const client = useQueryClient();
  const tree = useRef<TreeInstance<NodeData>>(undefined);
  const loader = useMemo(
    () => createNodeLoader((key) => api.get<readonly TreeNode[]>(LEVEL, { query: { key } })),
    [],
  );
  const onReady = useCallback((instance: TreeInstance<NodeData>) => {
    tree.current = instance;
    return undefined;
  }, []);

  async function refresh() {
    for (const id of [TREE_ROOT, ...(tree.current?.getState().expandedItems ?? [])])
      await tree.current?.getItemInstance(id).invalidateChildrenIds(true);
    await client.invalidateQueries({ queryKey: cacheKey(MINE) });
  }
  return { loader, onReady, refresh };
}

/** Returns the actions on one asset. */
function useRowActions(refresh: () => Promise<void>): (row: GrantedAsset) => readonly RowAction[] {
  const favorites = useFavorites();
  return (row) => [
    {
      key: 'connect-as',
      label: t(words.connectAs),
      ...byWindow(terminalAddress(row.id, 'choose')),
    },
    {
      key: 'files',
      label: t(baseWords.fileManager),
      ...byWindow(filesAddress(row.id)),
      ...(hasFiles(row) ? {} : { disabled: true, refusal: t(words.noFiles) }),
    },
    {
      key: 'favorite',
      label: t(favorites.has(row.id) ? words.unfavorite : words.favorite),
      icon: favorites.has(row.id) ? IconStarFilled : IconStar,
      iconOnly: true,
      disabled: !favorites.loaded,
      run: () => void favorites.toggle(row.id).then(refresh, () => undefined),
    },
  ];
}

/**
 * Assets that the user may connect to, as tree and list, with favorites and links to the terminal.
 */
export function MyAssets() {
  const { node: chosen, ...search } = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const { settings, parts } = useSession();
  const { narrow, phone } = useBreakpoints();
  const chosenNode = useChosenNode(chosen);
  const { refresh, ...nodes } = useMyNodes();
  const rowActions = useRowActions(refresh);
  const [shown, setShown] = useState<GrantedAsset>();

  return (
    <>
      <PageHeader>
        {settings.XPACK_LICENSE_IS_VALID &&
          parts.map(({ feature, ownAssets: Part }) => Part && <Part key={feature} />)}
      </PageHeader>
      <QuickConnect />
      <TreePane
        chosen={chosen}
        chosenName={chosenNode.chosenName}
        onRefresh={() => void refresh().catch(() => undefined)}
        tree={
          <FilteredTree
            {...nodes}
            find={findMine}
            selected={chosen}
            onSelect={(node) => {
              chosenNode.keep(node);
              const { page: _page, ...kept } = search;
              void go(path, {
                search: { ...kept, node: node.id === chosen ? undefined : node.id },
                replace: true,
              });
            }}
          />
        }
      >
        <ResourceList<GrantedAsset>
          key={chosen ?? ''}
          pageNames={NAMES}
          source={sourceOf(chosen ? `perms/users/nodes/${chosen}/assets` : MINE.path)}
          {...(chosen && { base: { all: 1 } })}
          searchBy={[
            { name: 'hostname', label: t(words.hostname) },
            { name: 'ip', label: 'IP' },
            { name: 'comment', label: t(words.comment) },
          ]}
          columns={columnsOf({ narrow, phone, onShow: setShown })}
          firstSize={rowsAtFirst(settings.TERMINAL_ASSET_LIST_PAGE_SIZE)}
          emptyHint={
            <>
              {t(words.emptyMine)}
              <AdministratorHint />
            </>
          }
          noMatchHint={(search) => <AdministratorHint alone about={{ hostname: search }} />}
          extraActions={rowActions}
        />
      </TreePane>
      {shown && <AssetDialog row={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

/** The facts of an asset, with a button that connects to it. */
function AssetDialog({
  row,
  onClose,
}: {
  readonly row: GrantedAsset;
  readonly onClose: () => void;
}) {
  return (
    <Modal opened onClose={onClose} title={row.hostname} size="lg">
      <DetailCard
        source={sourceOf('')}
        object={row}
        facts={['hostname', 'ip', 'protocols', 'platform', 'comment']}
      />
      <Button
        mt="md"
        leftSection={<IconTerminal2 size={16} />}
        {...windowLink(terminalAddress(row.id))}
      >
        {t(words.connect)}
      </Button>
    </Modal>
  );
}
