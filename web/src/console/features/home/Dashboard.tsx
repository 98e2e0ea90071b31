import { Skeleton, Text } from '@mantine/core';
import { allows, asset, assetPermission, type LocalText, loginLog, type Page, Permission, type Row, session, systemUser, user } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { api } from '../../../kit/api.ts';
import { formatDate, formatNumber } from '../../../kit/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconHistory, IconLock, IconRocket, IconServer2, IconUsers } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import detailStyles from '../../resource/detail/Detail.module.css';
import { YesNo } from '../../resource/list/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { cacheKey, listUrl, type Source } from '../../resource/source.ts';
import { Duration } from '../terminal/Duration.tsx';
import styles from './Dashboard.module.css';
import { Journey } from './Journey.tsx';
import { SessionsByDay } from './SessionsByDay.tsx';
import { useCount } from './useCount.ts';
import { words } from './words.ts';

const LicenseAlert = lazy(() => import('./LicenseAlert.tsx').then((module) => ({ default: module.LicenseAlert })));

const Attention = lazy(() => import('./Attention.tsx').then((module) => ({ default: module.Attention })));
const Hardening = lazy(() => import('./Hardening.tsx').then((module) => ({ default: module.Hardening })));

const LIVE = 10_000;
const LINES = 6;

interface CountProps {
  readonly title: LocalText;
  readonly all: LocalText;
  readonly to: string;
  readonly value: number | undefined;
  readonly icon: ComponentType<{ readonly size?: number | string }>;
}

function Count({ title, all, to, value, icon: Icon }: CountProps) {
  return (
    <Link to={to} className={styles.count} preload="intent">
      <span className={styles.countHead}>
        {t(title)} <Icon size={20} />
      </span>
      <span className={styles.value}>{value === undefined ? <Skeleton height={32} width={64} /> : formatNumber(value)}</span>
      <Text span fz="xs" c="dimmed">
        {t(all)}
      </Text>
    </Link>
  );
}

function Latest<T extends { readonly id: string }>({
  source,
  query,
  empty,
  line,
}: {
  readonly source: Source;
  readonly query: Readonly<Record<string, string | number>>;
  readonly empty: string;
  readonly line: (row: T) => ReactNode;
}) {
  const answer = useQuery({
    queryKey: [...cacheKey(source), 'latest', query],
    queryFn: ({ signal }) => api.get<Page<T>>(listUrl(source), { query: { ...query, limit: LINES }, signal, quiet: true }),
    refetchInterval: LIVE,
  });
  if (answer.isPending) return <Skeleton height={120} m="md" w="auto" />;
  const rows = answer.data?.results ?? [];
  if (rows.length === 0) {
    return (
      <Text c="dimmed" className={detailStyles.body}>
        {answer.error?.message ?? empty}
      </Text>
    );
  }
  return rows.map((row) => (
    <div key={row.id} className={styles.line}>
      {line(row)}
    </div>
  ));
}

/** The start page of the admin area: how much there is, what goes on now, and on an empty installation what to do first. */
export function Dashboard() {
  const { role } = useSession();
  const isAdmin = allows(role.current, Permission.ADMIN);
  const users = useCount(user, {}, { enabled: isAdmin });
  const servers = useCount(asset, {}, { enabled: isAdmin });
  const rules = useCount(assetPermission, {}, { enabled: isAdmin });
  const accounts = useCount(systemUser, {}, { enabled: isAdmin });
  const online = useCount(session, { is_finished: 0 }, { refetchEvery: LIVE });
  const sessions = useCount(session);
  const known = servers !== undefined && accounts !== undefined && rules !== undefined && sessions !== undefined;
  const showJourney = isAdmin && known && [servers, accounts, rules, sessions].includes(0);

  return (
    <>
      <PageHeader />
      {allows(role.current, Permission.SUPER | Permission.ADMIN) && (
        <Suspense>
          <LicenseAlert />
        </Suspense>
      )}
      <div className={styles.counts}>
        {isAdmin && (
          <>
            <Count title={words.users} all={words.allUsers} to="/users/users" value={users} icon={IconUsers} />
            <Count title={words.assets} all={words.allAssets} to="/assets/assets" value={servers} icon={IconServer2} />
            <Count title={words.rules} all={words.allRules} to="/perms/asset-permissions" value={rules} icon={IconLock} />
          </>
        )}
        <Count title={words.onlineSessions} all={words.allSessions} to="/terminal/session" value={online} icon={IconRocket} />
      </div>
      {sessions !== 0 && <SessionsByDay />}
      {showJourney && <Journey servers={servers} accounts={accounts} rules={rules} sessions={sessions} />}
      <div className={styles.panels}>
        <Suspense fallback={<div className={styles.waiting} />}>
          <Attention />
        </Suspense>
        <Card title={t(online ? words.online : words.lastSessions)} icon={<IconRocket size={16} />}>
          <Latest<Row<typeof session>>
            source={session}
            query={{ is_finished: online ? 0 : 1 }}
            empty={t(words.noSessions)}
            line={(row) => (
              <>
                <PageLink to={`/terminal/sessions/${row.id}`} className={styles.who ?? ''} truncate>
                  {row.user} → {row.asset}
                </PageLink>
                <Text span c="dimmed" fz="xs">
                  <Duration session={row} />
                </Text>
                <Text span className={`${styles.when} mono`} c="dimmed" fz="xs">
                  {formatDate(row.date_start)}
                </Text>
              </>
            )}
          />
        </Card>
        <Card title={t(words.recent)} icon={<IconHistory size={16} />}>
          <Latest<Row<typeof loginLog>>
            source={loginLog}
            query={{}}
            empty="-"
            line={(row) => (
              <>
                <Text span truncate className={styles.who}>
                  {row.username}{' '}
                  <Text span className="mono" c="dimmed" fz="xs">
                    {row.ip}
                  </Text>
                </Text>
                <span className={styles.outcome}>
                  <YesNo value={row.status} yes={t(words.success)} no={t(words.failed)} />
                </span>
                <Text span className={`${styles.when} mono`} c="dimmed" fz="xs">
                  {formatDate(row.datetime)}
                </Text>
              </>
            )}
          />
        </Card>
        {allows(role.current, Permission.SUPER | Permission.ADMIN) && (
          <Suspense>
            <Hardening />
          </Suspense>
        )}
      </div>
    </>
  );
}
