import { Button, useComputedColorScheme } from '@mantine/core';
import {
  type GrantedAppSystemUser,
  type GrantedSystemUser,
  type PodPlace,
  SECOND_CONSOLE,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { AppWindow } from '../AppWindow.tsx';
import { attachClipboard, pasteClipboard } from '../session/clipboard-behavior.ts';
import { SessionPane } from '../session/SessionPane.tsx';
import { SessionTab } from '../tabs/session-tab.ts';
import { appearanceOn, SESSION_TOOLS } from '../tabs/session-tools.ts';
import { useProfile } from '../useProfile.ts';
import { words as windowWords } from '../words.ts';
import { CLIPBOARD_TOOLS } from '../workspace/workspace.ts';
import { words } from './words.ts';

const InviteDialog = lazyComponent(() =>
  import('../invite/InviteDialog.tsx').then((module) => module.InviteDialog),
);

const nothing = () => undefined;

interface Props {
  readonly cluster: string;
  readonly account: string | null;
  readonly pod: PodPlace;
}

/** Permissions for clusters allow connecting and nothing else of an account. */
const accountOf = (account: GrantedAppSystemUser): GrantedSystemUser => ({
  ...account,
  sftp_root: '',
  username_same_with_user: false,
  actions: ['connect'],
});

function Shell({ session, onClose }: { readonly session: SessionTab; onClose: () => void }) {
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  useEffect(() => session.view.setAppearance(appearanceOn(scheme)), [session, scheme]);
  const [isSearching, setSearching] = useState(false);
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      if (!(event.ctrlKey && event.shiftKey && event.key.toLowerCase() === 'f')) return;
      event.preventDefault();
      setSearching(true);
    };
    window.addEventListener('keydown', find, true);
    return () => window.removeEventListener('keydown', find, true);
  }, []);
  return (
    <SessionPane
      id="app"
      session={session}
      visible
      active
      onActive={nothing}
      searching={isSearching}
      onSearchClosed={() => {
        setSearching(false);
        session.view.focus();
      }}
      onPaste={() => void pasteClipboard(session, CLIPBOARD_TOOLS)}
      onDropped={nothing}
      onClose={onClose}
    />
  );
}

/** Invites a colleague into the live session. */
function Invite({ session, name }: { readonly session: SessionTab; readonly name: string }) {
  useSyncExternalStore(session.subscribe, session.snapshot);
  const [invited, setInvited] = useState<string>();
  const live = session.liveSession;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        disabled={live === null}
        onClick={() => live !== null && setInvited(live)}
      >
        {t(windowWords.invite)}
      </Button>
      {invited !== undefined && (
        <InviteDialog session={invited} asset={name} onClose={() => setInvited(undefined)} />
      )}
    </>
  );
}

/** A shell in a container: the session, its recording and its rules are those of any terminal. */
export function PodScreen({ cluster, account, pod }: Props) {
  // Visitors who are not signed in are led to the sign-in page.
  useProfile();
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  const path = `perms/users/clusters/${encodeURIComponent(cluster)}/system-users/`;
  const { data, isPending } = useQuery({
    queryKey: ['pod-accounts', cluster],
    queryFn: ({ signal }) =>
      api.get<readonly GrantedAppSystemUser[]>(path, { signal, quiet: true }),
  });
  const name = `${pod.namespace}/${pod.name}`;
  const back = `${SECOND_CONSOLE}/apps/clusters/${cluster}?namespace=${encodeURIComponent(pod.namespace)}&kind=pods`;
  const [session] = useState(() => {
    const tab = new SessionTab(
      { kind: 'pod', id: cluster, hostname: name, ip: pod.container, pod },
      {
        ...SESSION_TOOLS,
        loadAccounts: async () => [],
        appearance: () => appearanceOn(scheme),
        label: t(words.label, { name }),
      },
    );
    attachClipboard(tab, CLIPBOARD_TOOLS);
    return tab;
  });
  const chosen = data?.find(({ id }) => account === null || id === account);
  useEffect(() => {
    // Accounts that are read again must not connect again.
    if (chosen && session.account === null) session.connect(accountOf(chosen), false);
  }, [session, chosen]);
  useEffect(() => {
    // The socket ends the rest. React may render the page twice in development.
    const end = () => session.end();
    window.addEventListener('pagehide', end);
    return () => window.removeEventListener('pagehide', end);
  }, [session]);
  return (
    <AppWindow
      title={`${name} · ${pod.container}`}
      back={back}
      backLabel={t(words.toClusters)}
      isPending={isPending}
      missing={t(words.notGranted)}
      tools={chosen && <Invite session={session} name={name} />}
    >
      {chosen && <Shell session={session} onClose={() => window.location.assign(back)} />}
    </AppWindow>
  );
}
