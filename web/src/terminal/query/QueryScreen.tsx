import { ActionIcon, Button, Loader, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type GrantedAppSystemUser, SECOND_CONSOLE } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../kit/api.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { Mark } from '../../kit/page/Mark.tsx';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconPlus,
  IconX,
} from '../icons.ts';
import { PasswordLine } from '../PasswordLine.tsx';
import cards from '../session/Cards.module.css';
import { rememberTheme, useProfile } from '../useProfile.ts';
import frame from '../Window.module.css';
import styles from './Query.module.css';
import { QueryPane } from './QueryPane.tsx';
import { words } from './words.ts';

/** The databases of the user, also where another console is at `/ui/`. */
const DATABASES = `${SECOND_CONSOLE}/apps/database`;

const NARROW = '(max-width: 767px)';

const MOST_TABS = 8;

interface Granted {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

const labelOf = ({ name, username }: GrantedAppSystemUser) =>
  username === '' || username === name ? name : `${name} (${username})`;

function AccountChoice({
  app,
  accounts,
  onChoose,
}: {
  readonly app: Granted;
  readonly accounts: readonly GrantedAppSystemUser[];
  readonly onChoose: (account: GrantedAppSystemUser) => void;
}) {
  return (
    <section className={cards.card} aria-label={app.name}>
      <h1 className={cards.title}>{app.name}</h1>
      <div className={cards.choices}>
        {accounts.map((account, index) => (
          <button
            key={account.id}
            type="button"
            className={cards.choice}
            data-autofocus={index === 0 || undefined}
            onClick={() => onChoose(account)}
          >
            <span>{labelOf(account)}</span>
          </button>
        ))}
      </div>
    </section>
  );
}

function Workspace({
  app,
  account,
}: {
  readonly app: Granted;
  readonly account: GrantedAppSystemUser;
}) {
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false;
  const [tabs, setTabs] = useState<readonly number[]>([1]);
  const [current, setCurrent] = useState(1);
  const [side, setSide] = useState(!narrow);
  const open = () => {
    const next = Math.max(0, ...tabs) + 1;
    setTabs([...tabs, next]);
    setCurrent(next);
  };
  const close = (tab: number) => {
    const left = tabs.filter((one) => one !== tab);
    setTabs(left);
    if (tab === current) setCurrent(left.at(-1) ?? 0);
  };
  return (
    <>
      <div className={styles.tabs}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t(words.showSchema)}
          aria-pressed={side}
          onClick={() => setSide(!side)}
        >
          {side ? (
            <IconLayoutSidebarLeftCollapse size={18} />
          ) : (
            <IconLayoutSidebarLeftExpand size={18} />
          )}
        </ActionIcon>
        <nav className={styles.tabList} aria-label={t(words.tabs)}>
          {tabs.map((tab) => (
            <span key={tab} className={styles.tab} data-current={tab === current || undefined}>
              <button
                type="button"
                aria-current={tab === current ? 'true' : undefined}
                onClick={() => setCurrent(tab)}
              >
                {t(words.tab, { number: tab })}
              </button>
              <ActionIcon
                size="xs"
                variant="subtle"
                color="gray"
                aria-label={t(words.closeTab, { name: t(words.tab, { number: tab }) })}
                onClick={() => close(tab)}
              >
                <IconX size={12} />
              </ActionIcon>
            </span>
          ))}
        </nav>
        <Tooltip
          label={tabs.length < MOST_TABS ? t(words.newTab) : t(words.tabFull, { max: MOST_TABS })}
        >
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t(words.newTab)}
            disabled={tabs.length >= MOST_TABS}
            onClick={open}
          >
            <IconPlus size={16} />
          </ActionIcon>
        </Tooltip>
      </div>
      {tabs.length === 0 ? (
        <div className={frame.centered}>
          <Button onClick={open}>{t(words.newTab)}</Button>
        </div>
      ) : null}
      {tabs.map((tab) => (
        <QueryPane
          key={tab}
          app={app}
          account={{ id: account.id, label: labelOf(account) }}
          isShown={tab === current}
          hasSide={side}
          onClose={() => close(tab)}
        />
      ))}
    </>
  );
}

function Chosen({
  app: id,
  onNamed,
}: {
  readonly app: string;
  readonly onNamed: (name: string) => void;
}) {
  const [chosen, setChosen] = useState<GrantedAppSystemUser>();
  const { data, isPending } = useQuery({
    queryKey: ['query-app', id],
    queryFn: async ({ signal }) => {
      const [apps, accounts] = await Promise.all([
        api.get<readonly Granted[]>(`perms/users/database-apps/?id=${id}`, { signal, quiet: true }),
        api
          .get<readonly GrantedAppSystemUser[]>(`perms/users/database-apps/${id}/system-users/`, {
            signal,
            quiet: true,
          })
          .catch(() => []),
      ]);
      return { app: apps.find((app) => app.id === id), accounts };
    },
  });
  const app = data?.app;
  const title = app?.name;
  useEffect(() => {
    if (!title) return;
    document.title = `${title} - ${t(words.title)}`;
    onNamed(title);
  }, [title, onNamed]);
  if (isPending) {
    return (
      <div className={frame.centered}>
        <Loader role="status" aria-label={t(common.loading)} />
      </div>
    );
  }
  const [only, ...others] = data?.accounts ?? [];
  const account = chosen ?? (others.length === 0 ? only : undefined);
  if (!app || !only) {
    return (
      <div className={frame.centered}>
        <section className={cards.card}>
          <h1 className={cards.title}>{t(app ? words.noAccounts : words.notGranted)}</h1>
          <Button component="a" href={DATABASES}>
            {t(words.toDatabases)}
          </Button>
        </section>
      </div>
    );
  }
  if (!account) {
    return (
      <div className={frame.centered}>
        <AccountChoice app={app} accounts={data.accounts} onChoose={setChosen} />
      </div>
    );
  }
  return <Workspace app={app} account={account} />;
}

/** The window of the query workspace on one database. */
export function QueryScreen({ app }: { readonly app: string }) {
  const [name, setName] = useState('');
  // Visitors who are not signed in are led to the sign-in page.
  useProfile();
  return (
    <div className={frame.window}>
      <PasswordLine />
      <header className={frame.bar}>
        <a className={frame.brand} href={DATABASES} aria-label={t(words.toDatabases)}>
          <Mark size={22} />
        </a>
        <span className={frame.barTitle}>{name || t(words.title)}</span>
        <LanguageSwitch />
        <ThemeSwitch onChoose={rememberTheme} />
      </header>
      <main className={frame.main}>
        <Chosen app={app} onNamed={setName} />
      </main>
    </div>
  );
}
