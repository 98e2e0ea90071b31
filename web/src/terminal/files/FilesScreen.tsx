import { Button, Loader } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type GrantedSystemUser, protocolOf } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { AdministratorHint } from '../../kit/access-request/AdministratorHint.tsx';
import { api } from '../../kit/api.ts';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { common, t } from '../../kit/i18n/index.ts';
import { ResizeEdge } from '../../kit/ResizeEdge.tsx';
import { IconFolders } from '../icons.ts';
import { filesAddress } from '../location.ts';
import { PasswordLine } from '../PasswordLine.tsx';
import { AccountCard } from '../session/AccountCard.tsx';
import { PANEL_WIDTHS } from '../settings/settings.ts';
import { settingsStore, useSettings } from '../settings/settings-store.ts';
import { accountLabel, offeredAccounts, usableAccounts } from '../tabs/accounts.ts';
import { AssetPanel } from '../tree/AssetPanel.tsx';
import { loadAsset } from '../tree/load-branch.ts';
import { type GrantedLeaf, groupFound } from '../tree/tree-rows.ts';
import { useProfile } from '../useProfile.ts';
import frame from '../Window.module.css';
import { words as terminalWords } from '../words.ts';
import { PanelDrawer } from '../workspace/PanelDrawer.tsx';
import styles from './Files.module.css';
import { FilesBar } from './FilesBar.tsx';
import { PlaceFiles } from './PlaceFiles.tsx';
import { words } from './words.ts';

const NARROW = '(max-width: 767px)';

function Centered({ children }: { readonly children: ReactNode }) {
  return <div className={frame.centered}>{children}</div>;
}

function Loading() {
  return (
    <Centered>
      <Loader role="status" aria-label={t(common.loading)} />
    </Centered>
  );
}

function Notice({
  title,
  hint,
  children,
}: {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <Centered>
      <section className={styles.notice}>
        <IconFolders size={40} stroke={1.3} aria-hidden="true" />
        <h1>{title}</h1>
        {hint ? <p>{hint}</p> : null}
        {children}
      </section>
    </Centered>
  );
}

/** The accounts of an asset that have files. A single account is selected automatically. */
function AssetFiles({
  asset,
  wish,
}: {
  readonly asset: GrantedLeaf;
  readonly wish: 'usual' | 'choose';
}) {
  const [chosen, setChosen] = useState<GrantedSystemUser | null>(null);
  const [isChoosing, setChoosing] = useState(wish === 'choose');
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['files-accounts', asset.id],
    queryFn: ({ signal }) =>
      api.get<readonly GrantedSystemUser[]>(`perms/users/assets/${asset.id}/system-users/`, {
        signal,
        quiet: true,
      }),
  });
  if (isPending) return <Loading />;
  if (error) {
    return (
      <Notice title={t(words.failed)} hint={error.message}>
        <Button onClick={() => void refetch()}>{t(common.retry)}</Button>
      </Notice>
    );
  }
  const usable = usableAccounts(data).filter(
    ({ protocol }) => protocolOf(protocol)?.name === 'ssh',
  );
  const offered = usable.length === 0 ? [] : offeredAccounts(usable);
  const account = chosen ?? (offered.length === 1 && !isChoosing ? offered[0] : undefined);
  if (usable.length === 0)
    return <Notice title={t(words.noFiles)} hint={<AdministratorHint alone />} />;
  if (!account) {
    return (
      <Centered>
        <AccountCard
          hostname={asset.hostname}
          accounts={offered}
          others={usable.filter((other) => !offered.includes(other))}
          onChoose={setChosen}
        />
      </Centered>
    );
  }
  return (
    <PlaceFiles
      key={account.id}
      asset={asset}
      account={{ id: account.id, label: accountLabel(account) }}
      onOtherAccount={
        usable.length > 1
          ? () => {
              setChosen(null);
              setChoosing(true);
            }
          : undefined
      }
    />
  );
}

interface ChosenAsset {
  readonly asset: GrantedLeaf;
  readonly wish: 'usual' | 'choose';
  readonly time: number;
}

/** The asset that the user chose, or else the one that the address names (`first`). */
function useChosenAsset(first: string | null) {
  const [chosen, setChosen] = useState<ChosenAsset | null>(null);
  const id = chosen ? null : first;
  const { data, isPending } = useQuery({
    queryKey: ['files-asset', id],
    enabled: id !== null,
    queryFn: async () =>
      groupFound(id ? await loadAsset(id).catch(() => []) : []).flatMap(
        ({ assets }) => assets,
      )[0] ?? null,
  });
  const current: ChosenAsset | null =
    chosen ?? (data ? { asset: data, wish: 'usual', time: 0 } : null);

  useEffect(() => {
    document.title = `${current ? `${current.asset.hostname} · ` : ''}${t(words.title)} · Sallyport`;
  }, [current]);

  const choose = (asset: GrantedLeaf, wish: 'usual' | 'choose' = 'usual') => {
    setChosen({ asset, wish, time: Date.now() });
    window.history.replaceState(null, '', filesAddress(asset.id));
  };
  return { current, isPending, choose };
}

/** The panel of assets: at the left, or a drawer on a phone. Each keeps whether it is open. */
function useAssetPanel(isOpenFirst: boolean) {
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false;
  const [isDocked, setDocked] = useState(isOpenFirst);
  const [isDrawn, setDrawn] = useState(false);
  const isOpen = isNarrow ? isDrawn : isDocked;
  const setOpen = isNarrow ? setDrawn : setDocked;
  return {
    isNarrow,
    isOpen,
    open: () => setOpen(true),
    toggle: () => setOpen(!isOpen),
    closeDrawer: () => setDrawn(false),
  };
}

type PanelState = ReturnType<typeof useAssetPanel>;

function AssetSide({
  panel,
  onConnect,
}: {
  readonly panel: PanelState;
  readonly onConnect: (asset: GrantedLeaf, wish?: 'choose') => void;
}) {
  const { panelWidth } = useSettings();
  const search = useRef<HTMLInputElement>(null);
  const assets = <AssetPanel onConnect={onConnect} searchRef={search} />;
  if (panel.isNarrow) {
    return (
      <PanelDrawer opened={panel.isOpen} onClose={panel.closeDrawer}>
        {assets}
      </PanelDrawer>
    );
  }
  return panel.isOpen ? (
    <nav
      className={styles.panel}
      style={{ width: panelWidth }}
      aria-label={t(terminalWords.myAssets)}
    >
      {assets}
      <ResizeEdge
        label={t(terminalWords.panelWidth)}
        width={panelWidth}
        limits={PANEL_WIDTHS}
        onWidth={(width = PANEL_WIDTHS.usual) => settingsStore.change({ panelWidth: width })}
      />
    </nav>
  ) : null;
}

/** Asks for an asset, or says that the named one is not granted. */
function NoAsset({ isNamed, panel }: { readonly isNamed: boolean; readonly panel: PanelState }) {
  if (isNamed) {
    return (
      <Notice title={t(terminalWords.assetNotGranted)} hint={<AdministratorHint alone />}>
        <Button variant="default" onClick={panel.open}>
          {t(words.chooseAsset)}
        </Button>
      </Notice>
    );
  }
  return (
    <Notice
      title={t(words.chooseAsset)}
      hint={t(panel.isNarrow ? words.chooseAssetHintNarrow : words.chooseAssetHint)}
    >
      {panel.isNarrow ? <Button onClick={panel.open}>{t(words.chooseAsset)}</Button> : null}
    </Notice>
  );
}

/** The file manager: granted assets at the left, the files of one of them at the right. */
export function FilesScreen({ first }: { readonly first: string | null }) {
  // Visitors who are not signed in are led to the sign-in page.
  useProfile();
  const { current, isPending, choose } = useChosenAsset(first);
  const panel = useAssetPanel(first === null);
  return (
    <div className={frame.window}>
      <ConnectionBanner />
      <PasswordLine />
      <FilesBar asset={current?.asset} panel={panel} />
      <div className={styles.body}>
        <AssetSide
          panel={panel}
          onConnect={(asset, wish) => {
            panel.closeDrawer();
            choose(asset, wish);
          }}
        />
        <main className={frame.main}>
          {current ? (
            <AssetFiles
              key={`${current.asset.id} ${current.time}`}
              asset={current.asset}
              wish={current.wish}
            />
          ) : first !== null && isPending ? (
            <Loading />
          ) : (
            <NoAsset isNamed={first !== null} panel={panel} />
          )}
        </main>
      </div>
    </div>
  );
}
