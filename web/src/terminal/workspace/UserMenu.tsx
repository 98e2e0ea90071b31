import { Button, Menu } from '@mantine/core';
import { SECOND_CONSOLE } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import { IconLayoutDashboard, IconLogout, IconUser } from '../icons.ts';
import { useProfile } from '../useProfile.ts';
import { words } from '../words.ts';
import styles from './Workspace.module.css';

/**
 * The user's entries of a menu: profile, console, sign out. Leaving the page asks first while
 * sessions are open.
 */
export function UserItems() {
  const { data: profile } = useProfile();
  return (
    <>
      <Menu.Label>
        {profile ? `${profile.name} · ${profile.username}` : t(words.account)}
      </Menu.Label>
      <Menu.Item
        component="a"
        href={`${SECOND_CONSOLE}/users/profile`}
        target="_blank"
        rel="noopener"
        leftSection={<IconUser size={15} />}
      >
        {t(words.profile)}
      </Menu.Item>
      <Menu.Item
        component="a"
        href="/ui/"
        target="_blank"
        rel="noopener"
        leftSection={<IconLayoutDashboard size={15} />}
      >
        {t(words.openConsole)}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        component="a"
        href={`/core/auth/logout/?${new URLSearchParams({ next: location.pathname }).toString()}`}
        leftSection={<IconLogout size={15} />}
      >
        {t(words.signOut)}
      </Menu.Item>
    </>
  );
}

/** The signed-in user, with a menu. */
export function UserMenu() {
  const { data: profile } = useProfile();
  const name = profile?.name ?? '';
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          h={32}
          px={8}
          leftSection={<IconUser size={16} />}
          aria-label={name ? `${t(words.account)}: ${name}` : t(words.account)}
        >
          <span className={styles.userName}>{name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <UserItems />
      </Menu.Dropdown>
    </Menu>
  );
}
