import { Button, Menu } from '@mantine/core';
import { isAdminRole, type LocalText } from '@sallyport/contract';
import { type ComponentType, useState } from 'react';
import { BASE_PATH } from '../../kit/base-path.ts';
import { t } from '../../kit/i18n/index.ts';
import {
  IconBook,
  IconChevronDown,
  IconHelp,
  IconKey,
  IconLifebuoy,
  IconLogout,
  IconSwitchHorizontal,
  IconUser,
} from '../../kit/icons.ts';
import { HELP, outsideAddress, signOutAddress, windowLink } from '../base/addresses.ts';
import { useGoButton } from '../base/navigation.tsx';
import { changeOrganization } from '../base/organizations.ts';
import { forgetRole, rememberRole, stepTo, switchTarget } from '../base/role.ts';
import { useSession } from '../base/session.tsx';
import { words } from '../base/words.ts';
import { AccessKeyDialog } from '../features/profile/index.ts';
import styles from './Shell.module.css';

interface HelpItemProps {
  readonly page: keyof typeof HELP;
  readonly icon: ComponentType<{ readonly size?: number | string }>;
  readonly label: LocalText;
}

/** A menu entry that opens a help page, or that of the operator, in a separate window. */
export function HelpItem({ page, icon: Icon, label }: HelpItemProps) {
  const { OUTSIDE_PAGES: pages } = useSession().settings;
  const address = page === 'overview' ? undefined : outsideAddress(pages?.[page]);
  return (
    <Menu.Item
      leftSection={<Icon size={16} />}
      {...windowLink(address ?? `${BASE_PATH}${HELP[page]}`)}
    >
      {t(label)}
    </Menu.Item>
  );
}

/** The account menu: profile, switch of role, access keys, sign out. */
export function AccountMenu() {
  const { profile, role, organizations, organization } = useSession();
  const goButton = useGoButton();
  const target = switchTarget(role, organizations.length);
  const [keys, setKeys] = useState(false);

  function switchSide() {
    const step = target && stepTo(target, role.permissions, organizations, organization?.id);
    if (step?.kind === 'role') {
      rememberRole(step.role);
      location.assign(`${BASE_PATH}/`);
    } else if (step) {
      // The cookie holds the user role, but the link leads to an admin page.
      forgetRole();
      changeOrganization(step.organization);
    }
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
          <Menu.Item leftSection={<IconUser size={16} />} {...goButton('/users/profile')}>
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
          {!isAdminRole(role.current) && (
            <>
              <Menu.Divider />
              <HelpItem page="docs" icon={IconBook} label={words.docs} />
              <HelpItem page="overview" icon={IconHelp} label={words.help} />
              <HelpItem page="support" icon={IconLifebuoy} label={words.support} />
            </>
          )}
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconLogout size={16} />}
            onClick={() => location.assign(signOutAddress(location.pathname + location.search))}
          >
            {t(words.logout)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {keys && <AccessKeyDialog onClose={() => setKeys(false)} />}
    </>
  );
}
