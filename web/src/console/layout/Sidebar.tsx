import { Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { isAdminRole } from '@sallyport/contract';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconChevronRight, IconExternalLink } from '../../kit/icons.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { brandOf, productTitle } from '../../kit/page/brand.ts';
import { Mark } from '../../kit/page/Mark.tsx';
import { queryClient } from '../../kit/page/start-app.tsx';
import { windowLink } from '../base/addresses.ts';
import { useGoButton, usePath } from '../base/navigation.tsx';
import type { Screen } from '../base/screen.ts';
import { useSession } from '../base/session.tsx';
import { words } from '../base/words.ts';
import { firstQueries } from '../start/first-queries.ts';
import { useOrganizations } from '../start/useOrganizations.ts';
import { litPath, type MenuItem, menuOf, openAtStart } from './menu.ts';
import styles from './Sidebar.module.css';

/** Keeps the place of the select with the name of the organization. */
function OrganizationName() {
  const { organization } = useSession();
  return (
    <div className={styles.organization}>
      <div className={styles.organizationName}>{organization?.name}</div>
    </div>
  );
}

const OrganizationSelect = lazyComponent(
  () =>
    firstQueries(queryClient)
      .then(() => import('./OrganizationSelect.tsx'))
      .then((module) => module.OrganizationSelect),
  <OrganizationName />,
);

/** The top of the sidebar: the installation's logo, or our logo with a name. */
function Brand({ small }: { readonly small: boolean }) {
  const { title, indexLogo, logoutLogo } = brandOf(useSession().settings);
  if (!small && indexLogo)
    return (
      <img
        src={indexLogo}
        alt={title}
        style={{ maxWidth: 185, maxHeight: 44, objectFit: 'contain' }}
      />
    );
  return (
    <>
      {logoutLogo ? (
        <img src={logoutLogo} alt="" width={26} height={26} style={{ objectFit: 'contain' }} />
      ) : (
        <Mark size={26} />
      )}
      {!small && title}
    </>
  );
}

interface EntryProps {
  readonly screen: Screen;
  readonly lit: string;
  readonly icon?: ReactNode;
  readonly small?: boolean;
  readonly onGo?: (() => void) | undefined;
}

/** An entry of the sidebar, which links to a page of the console or to another window. */
function Entry({ screen, lit, icon, small = false, onGo }: EntryProps) {
  const active = screen.path === lit;
  const className = `${styles.entry} ${active ? styles.active : ''}`;
  const label = small ? null : <span>{t(screen.title)}</span>;
  const opens = screen.opens;
  const entry = opens ? (
    <UnstyledButton
      className={className}
      {...windowLink(opens())}
      {...(small && { 'aria-label': t(screen.title) })}
    >
      {icon}
      {label}
      {!small && <IconExternalLink size={14} />}
    </UnstyledButton>
  ) : (
    <Link
      to={screen.path}
      className={className}
      onClick={onGo}
      {...(active && { 'aria-current': 'page' as const })}
      {...(small && { 'aria-label': t(screen.title) })}
    >
      {icon}
      {label}
    </Link>
  );
  return small ? (
    <Tooltip label={t(screen.title)} position="right">
      {entry}
    </Tooltip>
  ) : (
    entry
  );
}

/** A group in the small sidebar: an icon that opens a menu of its entries. */
function SmallGroup({ item, lit }: { readonly item: MenuItem; readonly lit: string }) {
  const goButton = useGoButton();
  const Icon = item.icon;
  const active = item.children?.some(({ path }) => path === lit);
  return (
    <Menu position="right-start" trigger="click-hover" withinPortal>
      <Menu.Target>
        <UnstyledButton
          className={`${styles.entry} ${active ? styles.active : ''}`}
          aria-label={t(item.title)}
        >
          {Icon && <Icon size={20} />}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t(item.title)}</Menu.Label>
        {item.children?.map((screen) => (
          <Menu.Item
            key={screen.name}
            {...(screen.opens ? windowLink(screen.opens()) : goButton(screen.path))}
          >
            {t(screen.title)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The menu on the left. `small` shows icons only; `onGo` closes the drawer around it. */
export function Sidebar({
  small = false,
  onGo,
}: {
  readonly small?: boolean;
  readonly onGo?: () => void;
}) {
  const { screens, role } = useSession();
  const organizations = useOrganizations();
  const lit = litPath(screens, usePath());
  const items = menuOf(screens);
  const litGroup = items.find((item) => item.children?.some(({ path }) => path === lit))?.key;
  const [open, setOpen] = useState(() => openAtStart(items, litGroup));
  const toggle = (key: string) =>
    setOpen((now) => (now.includes(key) ? now.filter((one) => one !== key) : [...now, key]));
  useEffect(() => {
    if (litGroup) setOpen((now) => (now.includes(litGroup) ? now : [...now, litGroup]));
  }, [litGroup]);

  return (
    <aside className={`${styles.sidebar} ${small ? styles.small : ''}`}>
      <Link
        to="/"
        className={styles.brand}
        aria-label={`${productTitle()}: ${t(words.home)}`}
        onClick={onGo}
      >
        <Brand small={small} />
      </Link>
      {!small && isAdminRole(role.current) && organizations.length > 1 && (
        <OrganizationSelect className={styles.organization} />
      )}
      <nav className={styles.nav} aria-label={t(words.menu)}>
        {items.map((item) => {
          const Icon = item.icon;
          if (item.screen)
            return (
              <Entry
                key={item.key}
                screen={item.screen}
                lit={lit}
                small={small}
                onGo={onGo}
                icon={Icon && <Icon size={small ? 20 : 18} />}
              />
            );
          if (small) return <SmallGroup key={item.key} item={item} lit={lit} />;
          const isOpen = open.includes(item.key);
          return (
            <div key={item.key}>
              <UnstyledButton
                className={`${styles.entry} ${isOpen ? styles.open : ''}`}
                aria-expanded={isOpen}
                aria-controls={`menu-${item.key}`}
                onClick={() => toggle(item.key)}
              >
                {Icon && <Icon size={18} />}
                <span>{t(item.title)}</span>
                <IconChevronRight size={14} className={styles.chevron} />
              </UnstyledButton>
              <ul
                id={`menu-${item.key}`}
                className={styles.children}
                hidden={!isOpen}
                style={isOpen ? undefined : { display: 'none' }}
              >
                {item.children?.map((screen) => (
                  <li key={screen.name}>
                    <Entry screen={screen} lit={lit} onGo={onGo} />
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
    </aside>
  );
}
