import { Button, Menu } from '@mantine/core';
import { Role } from '@sallyport/contract';
import { lazy, Suspense, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconChevronDown, IconKey, IconLogout, IconSwitchHorizontal, IconUser } from '../../kit/icons.ts';
import { useGo } from '../navigation.tsx';
import { BASE_PATH, signOutAddress } from '../start/addresses.ts';
import { changeOrganization } from '../start/change-organization.ts';
import { preferredOrganization } from '../start/organizations.ts';
import { adminRole, rememberRole, switchTarget } from '../start/role.ts';
import { useSession } from '../start/session.tsx';
import { words } from '../words.ts';
import styles from './Shell.module.css';

const AccessKeyDialog = lazy(() => import('../pages/profile/access-keys/AccessKeyDialog.tsx').then((module) => ({ default: module.AccessKeyDialog })));

/** The person's own menu: profile, the other side of the console, access keys, sign out. */
export function AccountMenu() {
  const { profile, role, organizations, organization } = useSession();
  const go = useGo();
  const target = switchTarget(role, organizations.length);
  const [keys, setKeys] = useState(false);

  function switchSide() {
    if (target === 'user') {
      rememberRole(Role.User);
      location.assign(`${BASE_PATH}/`);
      return;
    }
    const admin = adminRole(role.permissions);
    if (admin !== 0) {
      rememberRole(admin);
      location.assign(`${BASE_PATH}/`);
      return;
    }
    // No say in this organization: go where there is one.
    const other = preferredOrganization(organizations.filter(({ id }) => id !== organization?.id));
    if (other) changeOrganization(other);
  }

  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            px={8}
            leftSection={
              <span className={styles.avatar} aria-hidden="true">
                <IconUser size={14} />
              </span>
            }
            rightSection={<IconChevronDown size={14} />}
            aria-label={`${t(words.account)}: ${profile.name}`}
          >
            <span data-wide-only>{profile.name}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{profile.username}</Menu.Label>
          <Menu.Item leftSection={<IconUser size={16} />} onClick={() => go('/users/profile')}>
            {t(words.profile)}
          </Menu.Item>
          {target && (
            <Menu.Item leftSection={<IconSwitchHorizontal size={16} />} onClick={switchSide}>
              {t(target === 'user' ? words.userPage : words.adminPage)}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconKey size={16} />} onClick={() => setKeys(true)}>
            {t(words.accessKeys)}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => location.assign(signOutAddress(location.pathname + location.search))}>
            {t(words.logout)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {keys && (
        <Suspense>
          <AccessKeyDialog onClose={() => setKeys(false)} />
        </Suspense>
      )}
    </>
  );
}
