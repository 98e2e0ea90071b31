import {
  ActionIcon,
  Button,
  CloseButton,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { TAG_SEARCH_DELAY } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { AskSomebody } from '../../kit/whom-to-ask/AskSomebody.tsx';
import { IconRefresh, IconSearch } from '../icons.ts';
import { words } from '../words.ts';
import { AssetMenu, type MenuPlace } from './AssetMenu.tsx';
import styles from './AssetTree.module.css';
import { AssetTree } from './AssetTree.tsx';
import { BelowNode, FoundNodes } from './FoundNodes.tsx';
import { loadRoots, searchAssets, searchNodes } from './load-branch.ts';
import { SearchResults } from './SearchResults.tsx';
import { type FoundNode, foundNodes, type GrantedLeaf, groupFound } from './tree-rows.ts';
import { type Favorites, useFavorites } from './useFavorites.ts';

const NOTHING: readonly never[] = [];

interface Props {
  readonly onConnect: (asset: GrantedLeaf, as?: 'choose') => void;
  readonly searchRef: RefObject<HTMLInputElement | null>;
}

interface PartProps {
  readonly favorites: Favorites;
  readonly onConnect: (asset: GrantedLeaf) => void;
  readonly onMenu: (asset: GrantedLeaf, x: number, y: number) => void;
}

function Waiting() {
  return (
    <Stack gap={12} p={14} role="status" aria-busy="true" aria-label={t(common.loading)}>
      {[70, 55, 62, 48, 66].map((width) => (
        <Skeleton key={width} height={14} width={`${width}%`} />
      ))}
    </Stack>
  );
}

function Notice({
  title,
  hint,
  action,
  onAction,
}: {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly action: string;
  readonly onAction: () => void;
}) {
  return (
    <Stack align="center" gap={8} p="lg" className={styles.notice}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      {hint ? (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      ) : null}
      <Button size="xs" variant="default" onClick={onAction}>
        {action}
      </Button>
    </Stack>
  );
}

function WholeTree({
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
        <AskSomebody />
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

interface FoundProps extends PartProps {
  readonly text: string;
  /** The user pressed Enter for this text: connect to the first hit when it arrives. */
  readonly connectFirst: boolean;
  readonly onConnected: () => void;
  readonly onClear: () => void;
  readonly favoritesVersion: number;
}

function Found({
  text,
  connectFirst,
  onConnected,
  onClear,
  favoritesVersion,
  ...part
}: FoundProps) {
  const { data, isPending, error, refetch } = useQuery({
    queryKey: ['granted-search', text],
    queryFn: async ({ signal }) => {
      const [assets, nodes] = await Promise.all([
        searchAssets(text, signal),
        searchNodes(text, signal),
      ]);
      return { groups: groupFound(assets), nodes: foundNodes(nodes, text) };
    },
  });
  const { groups = NOTHING, nodes = NOTHING } = data ?? {};
  const [below, setBelow] = useState<FoundNode>();
  const connect = useEffectEvent(() => {
    const first = groups.flatMap(({ assets }) => assets).find(({ usable }) => usable);
    onConnected();
    if (first) part.onConnect(first);
    else setBelow(nodes[0]);
  });
  useEffect(() => {
    if (connectFirst && data) connect();
  }, [connectFirst, data]);
  if (isPending) return <Waiting />;
  if (error)
    return (
      <Notice
        title={t(words.treeFailed)}
        hint={error.message}
        action={t(common.retry)}
        onAction={() => void refetch()}
      />
    );
  if (below)
    return (
      <BelowNode
        node={below}
        onBack={() => setBelow(undefined)}
        favoritesVersion={favoritesVersion}
        {...part}
      />
    );
  const count = groups.reduce((sum, { assets }) => sum + assets.length, nodes.length);
  if (count === 0)
    return (
      <Notice title={t(words.nothingFound)} action={t(words.clearSearch)} onAction={onClear} />
    );
  return (
    <div data-results className={styles.rows}>
      <Text size="xs" c="dimmed" px={12} py={6} role="status">
        {t(words.searchResults, { count })}
      </Text>
      {nodes.length > 0 && <FoundNodes nodes={nodes} onOpen={setBelow} />}
      <SearchResults groups={groups} {...part} />
    </div>
  );
}

/** The granted assets: search, favorites and the tree. */
export function AssetPanel({ onConnect, searchRef }: Props) {
  const [text, setText] = useState('');
  const [version, setVersion] = useState(0);
  const [favoritesVersion, setFavoritesVersion] = useState(0);
  const [menu, setMenu] = useState<MenuPlace | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  const rows = useRef<HTMLDivElement>(null);
  const [searched] = useDebouncedValue(text.trim(), TAG_SEARCH_DELAY);
  const favorites = useFavorites(() => setFavoritesVersion((value) => value + 1));
  const refresh = () => setVersion((value) => value + 1);
  const part: PartProps = {
    favorites,
    onConnect,
    onMenu: (asset, x, y) => setMenu({ asset, x, y }),
  };
  const clear = () => {
    setText('');
    searchRef.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // In an input method, Enter chooses characters.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && text) clear();
    else if (event.key === 'Enter' && text.trim()) setWanted(text.trim());
    else if (event.key === 'ArrowDown') {
      event.preventDefault();
      rows.current
        ?.querySelector<HTMLElement>('[data-kind][tabindex="0"], button[data-kind]')
        ?.focus();
    }
  };
  const onRowKeyDown = (event: KeyboardEvent) => {
    const first = rows.current?.querySelector('[data-kind]');
    if (event.key !== 'ArrowUp' || event.target !== first) return;
    event.preventDefault();
    event.stopPropagation();
    searchRef.current?.focus();
  };
  return (
    <>
      <div className={styles.searchBar}>
        <TextInput
          ref={searchRef}
          size="xs"
          className={styles.search}
          placeholder={t(words.searchAssetsShort)}
          aria-label={t(words.searchAssets)}
          leftSection={<IconSearch size={14} />}
          rightSection={
            text ? (
              <CloseButton size="xs" aria-label={t(words.clearSearch)} onClick={clear} />
            ) : null
          }
          value={text}
          maxLength={128}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setWanted(null);
          }}
          onKeyDown={onKeyDown}
        />
        <Tooltip label={t(common.refresh)}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            aria-label={t(common.refresh)}
            onClick={refresh}
          >
            <IconRefresh size={16} />
          </ActionIcon>
        </Tooltip>
      </div>
      <div ref={rows} className={styles.rows} onKeyDownCapture={onRowKeyDown}>
        {searched ? (
          <Found
            key={searched}
            text={searched}
            favoritesVersion={favoritesVersion}
            connectFirst={wanted === searched}
            onConnected={() => setWanted(null)}
            onClear={clear}
            {...part}
          />
        ) : (
          <WholeTree
            version={version}
            favoritesVersion={favoritesVersion}
            onRefresh={refresh}
            {...part}
          />
        )}
      </div>
      <AssetMenu
        place={menu}
        favorite={menu !== null && favorites.has(menu.asset.id)}
        onConnect={onConnect}
        onToggleFavorite={({ id }) => favorites.toggle(id)}
        onClose={() => setMenu(null)}
      />
    </>
  );
}
