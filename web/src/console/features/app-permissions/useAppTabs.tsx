import { t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useSession } from '../../base/session.tsx';
import type { TabSpec } from '../../resource/TabbedPage.tsx';
import { words } from './words.ts';

// Loaded with their tabs.
const Rules = lazyComponent(() => import('./AppRules.tsx').then((module) => module.RulesAbout));
const Databases = lazyComponent(() =>
  import('./GrantedApps.tsx').then((module) => module.GrantedDatabases),
);
const RemoteApps = lazyComponent(() =>
  import('./GrantedApps.tsx').then((module) => module.GrantedRemoteApps),
);

/** The API path of the tab's subject, and the list parameter of its permissions. */
interface About {
  readonly path: 'users' | 'user-groups';
  readonly parameter: 'user_id' | 'user_group_id';
}

/** The applications that a user or group may use, and the permissions that grant them. */
interface AppTabs {
  readonly granted: readonly TabSpec[];
  readonly rules: readonly TabSpec[];
}

/** The application tabs of users and groups. Remote apps need a license. */
export function useAppTabs({ path, parameter }: About): (id: string) => AppTabs {
  const { settings } = useSession();
  const hasRemote = settings.XPACK_LICENSE_IS_VALID;
  return (id) => {
    const base = `perms/${path}/${id}`;
    const rules = (apps: 'remote' | 'databases') => (
      <>
        <Rules apps={apps} by={{ [parameter]: id }} />
      </>
    );
    const granted: readonly TabSpec[] = [
      {
        name: 'GrantedDatabases',
        label: t(words.databases),
        render: () => (
          <>
            <Databases base={base} embedded />
          </>
        ),
      },
      {
        name: 'GrantedRemoteApps',
        label: t(words.remoteApps),
        render: () => (
          <>
            <RemoteApps base={base} embedded />
          </>
        ),
      },
    ];
    const permissions: readonly TabSpec[] = [
      {
        name: 'DatabasePermissionRules',
        label: t(words.databaseRules),
        render: () => rules('databases'),
      },
      {
        name: 'RemoteAppPermissionRules',
        label: t(words.remoteRules),
        render: () => rules('remote'),
      },
    ];
    return hasRemote
      ? { granted, rules: permissions }
      : { granted: granted.slice(0, 1), rules: permissions.slice(0, 1) };
  };
}
