import { ActionIcon, Button, Loader, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type GrantedSystemUser, protocolOf } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { AdministratorHint } from '../../kit/access-request/AdministratorHint.tsx';
import { api } from '../../kit/api.ts';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { common, t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { Mark } from '../../kit/page/Mark.tsx';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import { ResizeEdge } from '../../kit/ResizeEdge.tsx';
import {
  IconFolders,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconTerminal2,
} from '../icons.ts';
import { filesAddress } from '../location.ts';
import { AccountCard } from '../session/AccountCard.tsx';
import { PANEL_WIDTHS } from '../settings/settings.ts';
import { settingsStore, useSettings } from '../settings/settings-store.ts';
import { accountLabel, offeredAccounts, usableAccounts } from '../tabs/accounts.ts';
import { AssetPanel } from '../tree/AssetPanel.tsx';
import { loadAsset } from '../tree/load-branch.ts';
import { type GrantedLeaf, groupFound } from '../tree/tree-rows.ts';
import { rememberTheme, useProfile } from '../useProfile.ts';
import frame from '../Window.module.css';
import { words as terminalWords } from '../words.ts';
import { PanelDrawer } from '../workspace/PanelDrawer.tsx';
import styles from './Files.module.css';
import { PlaceFiles } from './PlaceFiles.tsx';
import { words } from './words.ts';

const NARROW = '(max-width: 767px)';

function Centered({ children }: { readonly children: ReactNode }) {
  return <div className={frame.centered}>{children}</div>;
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
  if (isPending) {
    return (
      <Centered>
        <Loader role="status" aria-label={t(common.loading)} />
      </Centered>
    );
  }
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

/** The asset that the address names, with the fields of the tree. */
function useFirstAsset(id: string | null) {
  return useQuery({
    queryKey: ['files-asset', id],
    enabled: id !== null,
    queryFn: async () =>
      groupFound(id ? await loadAsset(id).catch(() => []) : []).flatMap(
        ({ assets }) => assets,
      )[0] ?? null,
  });
}

/** The file manager: granted assets at the left, the files of one of them at the right. */
export function FilesScreen({ first }: { readonly first: string | null }) {
  // Visitors who are not signed in are led to the sign-in page.
  useProfile();
  const settings = useSettings();
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false;
  const [chosen, setChosen] = useState<{
    readonly asset: GrantedLeaf;
    readonly wish: 'usual' | 'choose';
    readonly time: number;
  } | null>(null);
  const [panelOpen, setPanelOpen] = useState(first === null);
  const [drawer, setDrawer] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const firstAsset = useFirstAsset(chosen ? null : first);
  const current =
    chosen ??
    (firstAsset.data ? { asset: firstAsset.data, wish: 'usual' as const, time: 0 } : null);

  useEffect(() => {
    document.title = `${current ? `${current.asset.hostname} · ` : ''}${t(words.title)} · Sallyport`;
  }, [current]);

  const choose = (asset: GrantedLeaf, wish: 'usual' | 'choose' = 'usual') => {
    setDrawer(false);
    setChosen({ asset, wish, time: Date.now() });
    window.history.replaceState(null, '', filesAddress(asset.id));
  };
  const panel = <AssetPanel onConnect={choose} searchRef={search} />;
  const label = t(panelOpen && !narrow ? terminalWords.hidePanel : terminalWords.showPanel);
  const PanelIcon =
    panelOpen && !narrow ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand;
  return (
    <div className={frame.window}>
      <ConnectionBanner />
      <header className={frame.bar}>
        <Tooltip label={label}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={label}
            aria-expanded={narrow ? drawer : panelOpen}
            onClick={() => (narrow ? setDrawer(!drawer) : setPanelOpen(!panelOpen))}
          >
            <PanelIcon size={18} />
          </ActionIcon>
        </Tooltip>
        <a
          className={frame.brand}
          href="/ui/"
          aria-label={`Sallyport · ${t(terminalWords.console)}`}
          title={t(terminalWords.console)}
        >
          <Mark size={22} />
        </a>
        <span className={frame.barTitle}>
          <strong>{t(words.title)}</strong>
          {current ? <span>{current.asset.hostname}</span> : null}
        </span>
        {current ? (
          <Tooltip label={t(words.openTerminal)}>
            <ActionIcon
              component="a"
              href={`/luna/?login_to=${current.asset.id}`}
              target="_blank"
              rel="noopener"
              variant="subtle"
              color="gray"
              size={32}
              aria-label={t(words.openTerminal)}
            >
              <IconTerminal2 size={18} />
            </ActionIcon>
          </Tooltip>
        ) : null}
        <ThemeSwitch onChoose={rememberTheme} />
        <span data-wide-only>
          <LanguageSwitch />
        </span>
      </header>
      <div className={styles.body}>
        {panelOpen && !narrow ? (
          <nav
            className={styles.panel}
            style={{ width: settings.panelWidth }}
            aria-label={t(terminalWords.myAssets)}
          >
            {panel}
            <ResizeEdge
              label={t(terminalWords.panelWidth)}
              width={settings.panelWidth}
              limits={PANEL_WIDTHS}
              onWidth={(width = PANEL_WIDTHS.usual) => settingsStore.change({ panelWidth: width })}
            />
          </nav>
        ) : null}
        {narrow ? (
          <PanelDrawer opened={drawer} onClose={() => setDrawer(false)}>
            {panel}
          </PanelDrawer>
        ) : null}
        <main className={frame.main}>
          {current ? (
            <AssetFiles
              key={`${current.asset.id} ${current.time}`}
              asset={current.asset}
              wish={current.wish}
            />
          ) : first !== null && firstAsset.isPending ? (
            <Centered>
              <Loader role="status" aria-label={t(common.loading)} />
            </Centered>
          ) : first !== null ? (
            <Notice title={t(terminalWords.assetNotGranted)} hint={<AdministratorHint alone />}>
              <Button
                variant="default"
                onClick={() => (narrow ? setDrawer(true) : setPanelOpen(true))}
              >
                {t(words.chooseAsset)}
              </Button>
            </Notice>
          ) : (
            <Notice
              title={t(words.chooseAsset)}
              hint={t(narrow ? words.chooseAssetHintNarrow : words.chooseAssetHint)}
            >
              {narrow ? (
                <Button onClick={() => setDrawer(true)}>{t(words.chooseAsset)}</Button>
              ) : null}
            </Notice>
          )}
        </main>
      </div>
    </div>
  );
}
