import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { TAG_SEARCH_DELAY } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import { AdministratorHint } from '../../kit/access-request/AdministratorHint.tsx';
import { isComposing } from '../../kit/composing.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import { IconRefresh, IconSearch } from '../icons.ts';
import { words } from '../words.ts';
import { AssetMenu, type MenuPlace } from './AssetMenu.tsx';
import styles from './AssetTree.module.css';
import { AssetTree } from './AssetTree.tsx';
import { Found } from './FoundAssets.tsx';
import { loadRoots } from './load-branch.ts';
import { Notice, type PartProps, Waiting } from './PanelNotice.tsx';
import type { GrantedLeaf } from './tree-rows.ts';
import { useFavorites } from './useFavorites.ts';

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

interface Props {
  readonly onConnect: (asset: GrantedLeaf, as?: 'choose') => void;
  readonly searchRef: RefObject<HTMLInputElement | null>;
}

interface SearchFieldProps {
  readonly fieldRef: Props['searchRef'];
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onClear: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function SearchField({ fieldRef, text, onText, onClear, onKeyDown }: SearchFieldProps) {
  return (
    <TextInput
      ref={fieldRef}
      size="xs"
      className={styles.search}
      placeholder={t(words.searchAssetsShort)}
      aria-label={t(words.searchAssets)}
      leftSection={<IconSearch size={14} />}
      rightSection={
        text ? <CloseButton size="xs" aria-label={t(words.clearSearch)} onClick={onClear} /> : null
      }
      value={text}
      maxLength={128}
      onChange={(event) => onText(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
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
    if (isComposing(event)) return;
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
        <SearchField
          fieldRef={searchRef}
          text={text}
          onText={(next) => {
            setText(next);
            setWanted(null);
          }}
          onClear={clear}
          onKeyDown={onKeyDown}
        />
        <ToolButton label={t(common.refresh)} size={30} onClick={refresh}>
          <IconRefresh size={16} />
        </ToolButton>
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
