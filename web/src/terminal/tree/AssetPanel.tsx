import { ActionIcon, Button, CloseButton, Skeleton, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { TAG_SEARCH_DELAY } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useMemo, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { IconRefresh, IconSearch } from '../icons.ts';
import { words } from '../words.ts';
import { AssetMenu, type MenuPlace } from './AssetMenu.tsx';
import styles from './AssetTree.module.css';
import { AssetTree } from './AssetTree.tsx';
import { loadRoots, searchAssets } from './load-branch.ts';
import { SearchResults } from './SearchResults.tsx';
import { type GrantedLeaf, groupFound } from './tree-rows.ts';
import { type Favorites, useFavorites } from './useFavorites.ts';

interface Props {
  readonly onConnect: (asset: GrantedLeaf) => void;
  readonly searchRef: RefObject<HTMLInputElement | null>;
}

interface PartProps {
  readonly favorites: Favorites;
  readonly onConnect: (asset: GrantedLeaf) => void;
  readonly onMenu: (asset: GrantedLeaf, x: number, y: number) => void;
}

function Waiting() {
  return (
    <Stack gap={12} p={14} aria-busy="true" aria-label={t(common.loading)}>
      {[70, 55, 62, 48, 66].map((width) => (
        <Skeleton key={width} height={14} width={`${width}%`} />
      ))}
    </Stack>
  );
}

function Notice({ title, hint, action, onAction }: { readonly title: string; readonly hint?: string; readonly action: string; readonly onAction: () => void }) {
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
}: PartProps & { readonly version: number; readonly favoritesVersion: number; readonly onRefresh: () => void }) {
  const { data, isPending, error, dataUpdatedAt } = useQuery({
    queryKey: ['granted-tree', version],
    queryFn: ({ signal }) => loadRoots(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isPending) return <Waiting />;
  if (error) return <Notice title={t(words.treeFailed)} hint={error.message} action={t(common.retry)} onAction={onRefresh} />;
  if (data.every(({ meta, id }) => meta.type === 'node' && id.startsWith('-') && meta.node.assets_amount === 0)) {
    return <Notice title={t(words.noAssets)} hint={t(words.noAssetsHint)} action={t(common.refresh)} onAction={onRefresh} />;
  }
  return <AssetTree key={dataUpdatedAt} first={data} favoritesVersion={favoritesVersion} {...part} />;
}

function Found({ text, onClear, ...part }: PartProps & { readonly text: string; readonly onClear: () => void }) {
  const { data, isPending, error, refetch } = useQuery({ queryKey: ['granted-search', text], queryFn: ({ signal }) => searchAssets(text, signal) });
  const groups = useMemo(() => groupFound(data ?? []), [data]);
  if (isPending) return <Waiting />;
  if (error) return <Notice title={t(words.treeFailed)} hint={error.message} action={t(common.retry)} onAction={() => void refetch()} />;
  const count = groups.reduce((sum, { assets }) => sum + assets.length, 0);
  if (count === 0) return <Notice title={t(words.nothingFound)} action={t(words.clearSearch)} onAction={onClear} />;
  return (
    <>
      <Text size="xs" c="dimmed" px={12} py={6} role="status">
        {t(words.searchResults, { count })}
      </Text>
      <SearchResults groups={groups} {...part} />
    </>
  );
}

/** The granted assets: search, favourites and the tree. */
export function AssetPanel({ onConnect, searchRef }: Props) {
  const [text, setText] = useState('');
  const [version, setVersion] = useState(0);
  const [favoritesVersion, setFavoritesVersion] = useState(0);
  const [menu, setMenu] = useState<MenuPlace | null>(null);
  const [searched] = useDebouncedValue(text.trim(), TAG_SEARCH_DELAY);
  const favorites = useFavorites(() => setFavoritesVersion((value) => value + 1));
  const refresh = () => setVersion((value) => value + 1);
  const part: PartProps = { favorites, onConnect, onMenu: (asset, x, y) => setMenu({ asset, x, y }) };
  const clear = () => {
    setText('');
    searchRef.current?.focus();
  };
  return (
    <>
      <div className={styles.searchBar}>
        <TextInput
          ref={searchRef}
          size="xs"
          className={styles.search}
          placeholder={t(words.searchAssets)}
          aria-label={t(words.searchAssets)}
          leftSection={<IconSearch size={14} />}
          rightSection={text ? <CloseButton size="xs" aria-label={t(words.clearSearch)} onClick={clear} /> : null}
          value={text}
          maxLength={128}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && text) clear();
          }}
        />
        <Tooltip label={t(common.refresh)}>
          <ActionIcon variant="subtle" color="gray" size={30} aria-label={t(common.refresh)} onClick={refresh}>
            <IconRefresh size={16} />
          </ActionIcon>
        </Tooltip>
      </div>
      {searched ? (
        <Found text={searched} onClear={clear} {...part} />
      ) : (
        <WholeTree version={version} favoritesVersion={favoritesVersion} onRefresh={refresh} {...part} />
      )}
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
