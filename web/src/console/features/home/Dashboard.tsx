import { allows, asset, assetPermission, loginLog, Permission, type Row, session, systemUser, user } from '@sallyport/contract';
import { lazy, Suspense } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconHistory, IconLock, IconRocket, IconServer2, IconUsers } from '../../../kit/icons.ts';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Count } from './Count.tsx';
import styles from './Dashboard.module.css';
import { Journey } from './Journey.tsx';
import { Latest, LIVE, SessionLine, SignInLine } from './Latest.tsx';
import { SessionsByDay } from './SessionsByDay.tsx';
import { useCount } from './useCount.ts';
import { words } from './words.ts';

const LicenseAlert = lazy(() => import('./LicenseAlert.tsx').then((module) => ({ default: module.LicenseAlert })));

const Attention = lazy(() => import('./Attention.tsx').then((module) => ({ default: module.Attention })));
const Hardening = lazy(() => import('./Hardening.tsx').then((module) => ({ default: module.Hardening })));

const AuditorStart = lazy(() => import('./AuditorStart.tsx').then((module) => ({ default: module.AuditorStart })));
const QuickConnect = lazy(() => import('./QuickConnect.tsx').then((module) => ({ default: module.QuickConnect })));

/** The start page of the admin area: for auditors what happened, for administrators how much there is and what to do. */
export function Dashboard() {
  const { role } = useSession();
  const isAuditor = !allows(role.current, Permission.ADMIN);
  return (
    <>
      <PageHeader />
      <Suspense>{isAuditor ? <AuditorStart /> : <AdminStart />}</Suspense>
    </>
  );
}

function AdminStart() {
  const { role } = useSession();
  const users = useCount(user);
  const servers = useCount(asset);
  const rules = useCount(assetPermission);
  const accounts = useCount(systemUser);
  const online = useCount(session, { is_finished: 0 }, { refetchEvery: LIVE });
  const sessions = useCount(session);
  const known = servers !== undefined && accounts !== undefined && rules !== undefined && sessions !== undefined;
  const showJourney = known && [servers, accounts, rules, sessions].includes(0);
  const isAboveAll = allows(role.current, Permission.SUPER);

  return (
    <>
      {isAboveAll && (
        <Suspense>
          <LicenseAlert />
        </Suspense>
      )}
      <div className={styles.counts}>
        <Count title={words.users} all={words.allUsers} to="/users/users" value={users} icon={IconUsers} />
        <Count title={words.assets} all={words.allAssets} to="/assets/assets" value={servers} icon={IconServer2} />
        <Count title={words.rules} all={words.allRules} to="/perms/asset-permissions" value={rules} icon={IconLock} />
        <Count title={words.onlineSessions} all={words.allSessions} to="/terminal/session" value={online} icon={IconRocket} />
      </div>
      {allows(role.permissions, Permission.USE) && (
        <Suspense fallback={<div className={styles.strip} />}>
          <QuickConnect />
        </Suspense>
      )}
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
            line={(row) => <SessionLine row={row} />}
          />
        </Card>
        <Card title={t(words.recent)} icon={<IconHistory size={16} />}>
          <Latest<Row<typeof loginLog>> source={loginLog} query={{}} empty="-" line={(row) => <SignInLine row={row} />} />
        </Card>
        {isAboveAll && (
          <Suspense>
            <Hardening />
          </Suspense>
        )}
      </div>
    </>
  );
}
