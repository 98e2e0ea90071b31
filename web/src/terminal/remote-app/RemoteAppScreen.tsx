import { useComputedColorScheme } from '@mantine/core';
import {
  type GrantedAppSystemUser,
  type GrantedSystemUser,
  SECOND_CONSOLE,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { AppWindow } from '../AppWindow.tsx';
import { SessionPane } from '../session/SessionPane.tsx';
import { SessionTab } from '../tabs/session-tab.ts';
import { appearanceOn, SESSION_TOOLS } from '../tabs/session-tools.ts';
import { useProfile } from '../useProfile.ts';
import { words } from './words.ts';

const MINE = `${SECOND_CONSOLE}/apps/remoteapp`;

const leave = () => window.location.assign(MINE);

const nothing = () => undefined;

interface Granted {
  readonly id: string;
  readonly name: string;
  readonly asset_info: { readonly hostname: string };
}

/** Permissions for remote apps allow connecting and nothing else. */
async function loadAccounts(app: string): Promise<readonly GrantedSystemUser[]> {
  const accounts = await api.get<readonly GrantedAppSystemUser[]>(
    `perms/users/remote-apps/${encodeURIComponent(app)}/system-users/`,
    { quiet: true },
  );
  return accounts.map((account) => ({
    ...account,
    sftp_root: '',
    username_same_with_user: false,
    actions: ['connect'],
  }));
}

/**
 * The program in its window. Account choice, questions, picture and end notice are those of every
 * session.
 */
function Program({ app }: { readonly app: Granted }) {
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  const [session] = useState(
    () =>
      new SessionTab(
        { kind: 'remote_app', id: app.id, hostname: app.name, ip: app.asset_info.hostname },
        {
          ...SESSION_TOOLS,
          loadAccounts,
          appearance: () => appearanceOn(scheme),
          label: t(words.label, { name: app.name }),
        },
      ),
  );
  useEffect(() => {
    void session.start();
    // The socket ends the rest. React may render the page twice in development.
    const end = () => session.end();
    window.addEventListener('pagehide', end);
    return () => window.removeEventListener('pagehide', end);
  }, [session]);
  useEffect(() => session.view.setAppearance(appearanceOn(scheme)), [session, scheme]);
  return (
    <SessionPane
      id="app"
      session={session}
      visible
      active
      onActive={nothing}
      searching={false}
      onSearchClosed={nothing}
      onPaste={nothing}
      onDropped={nothing}
      onClose={leave}
    />
  );
}

function Chosen({ id }: { readonly id: string }) {
  const { data, isPending } = useQuery({
    queryKey: ['remote-app', id],
    queryFn: async ({ signal }) =>
      (
        await api.get<readonly Granted[]>(`perms/users/remote-apps/?id=${id}`, {
          signal,
          quiet: true,
        })
      ).find((app) => app.id === id) ?? null,
  });
  return (
    <AppWindow
      title={data?.name ?? t(words.title)}
      back={MINE}
      backLabel={t(words.toApps)}
      isPending={isPending}
      missing={t(words.notGranted)}
    >
      {data && <Program app={data} />}
    </AppWindow>
  );
}

/** The window of one remote app. */
export function RemoteAppScreen({ id }: { readonly id: string }) {
  // Visitors who are not signed in are led to the sign-in page.
  useProfile();
  return <Chosen id={id} />;
}
