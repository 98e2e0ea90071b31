import {
  allows,
  asset,
  assetPermission,
  type LocalText,
  loginLog,
  Permission,
  type Row,
  session,
  systemUser,
  user,
} from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import {
  IconDeviceDesktop,
  IconHistory,
  IconServer2,
  IconUserCheck,
  IconUsers,
} from '../../../kit/icons.ts';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { useCount } from '../../resource/useCount.ts';
import { useAttention } from './attention-kinds.ts';
import { Count } from './Count.tsx';
import styles from './Dashboard.module.css';
import { Journey } from './Journey.tsx';
import { Latest, LIVE, SignInLine } from './Latest.tsx';
import { LicenseAlert, useLicenseNotice } from './LicenseAlert.tsx';
import { LatestSessions } from './statistics/LatestSessions.tsx';
import { useIndex } from './statistics/useIndex.ts';
import { useHardening } from './weak-settings.ts';
import { words } from './words.ts';

const Attention = lazyComponent(() => import('./Attention.tsx').then((module) => module.Attention));

const Hardening = lazyComponent(() => import('./Hardening.tsx').then((module) => module.Hardening));

const Statistics = lazyComponent(() =>
  import('./statistics/Statistics.tsx').then((module) => module.Statistics),
);

const SelfTests = lazyComponent(() => import('./SelfTests.tsx').then((module) => module.SelfTests));

const AuditorStart = lazyComponent(() =>
  import('./AuditorStart.tsx').then((module) => module.AuditorStart),
);

const QuickConnect = lazyComponent(() =>
  import('./QuickConnect.tsx').then((module) => module.QuickConnect),
);

/**
 * The start page of the admin area: recent events for auditors; numbers and open work for
 * administrators.
 */
export function Dashboard() {
  const { role } = useSession();
  const isAuditor = !allows(role.current, Permission.ADMIN);
  return (
    <>
      <PageHeader />
      <Loading>{isAuditor ? <AuditorStart /> : <AdminStart />}</Loading>
    </>
  );
}

/** Accounts without a sign-in for this number of days may be obsolete. */
const UNSEEN_DAYS = 90;

const noteOf = (...parts: readonly (string | false)[]): string | undefined =>
  parts.filter(Boolean).join(' · ') || undefined;

function AdminStart() {
  const { role } = useSession();
  const isAboveAll = allows(role.current, Permission.SUPER);
  const totals = useIndex(['total_count'], LIVE);
  const total = (count: number | undefined) => count ?? (totals.isError ? null : undefined);
  const servers = total(totals.data?.total_count_assets);
  const rules = useCount(assetPermission);
  const accounts = useCount(systemUser);
  const sessions = useCount(session);
  const invalidUsers = useCount(user, { is_valid: 'false' });
  const unseenUsers = useCount(user, { not_seen_days: UNSEEN_DAYS });
  const inactiveAssets = useCount(asset, { is_active: 'false' });
  const countText = (count: number | null | undefined, text: LocalText, params = {}) =>
    typeof count === 'number' && t(text, { count, ...params });
  const license = useLicenseNotice(isAboveAll);
  // The statistics below stay hidden until the height of this list is known.
  const needs = useAttention();
  // Load together with the other requests, for the card below.
  useHardening(isAboveAll);
  // Parts below the numbers stay hidden until all requests that decide the layout have finished, so
  // that nothing moves.
  const isDecided = ![servers, accounts, rules, sessions].includes(undefined) && !license.isPending;
  const showJourney = isDecided && [servers, accounts, rules, sessions].includes(0);

  return (
    <>
      <div className={styles.counts}>
        <Count
          title={words.users}
          note={noteOf(
            countText(invalidUsers, words.invalidUsers),
            unseenUsers !== 0 && countText(unseenUsers, words.unseenUsers, { days: UNSEEN_DAYS }),
          )}
          to="/users/users"
          value={total(totals.data?.total_count_users)}
          icon={IconUsers}
        />
        <Count
          title={words.assets}
          note={noteOf(countText(inactiveAssets, words.inactiveAssets))}
          to="/assets/assets"
          value={servers}
          icon={IconServer2}
        />
        <Count
          title={words.onlineUsers}
          note={t(words.withSession)}
          to="/users/users"
          search={{ is_online: '1' }}
          value={total(totals.data?.total_count_online_users)}
          icon={IconUserCheck}
        />
        <Count
          title={words.onlineSessions}
          note={noteOf(countText(sessions, words.sum))}
          to="/terminal/session"
          value={total(totals.data?.total_count_online_sessions)}
          icon={IconDeviceDesktop}
        />
      </div>
      <Loading>
        <div className={isDecided ? undefined : styles.undecided}>
          {license.notice && <LicenseAlert notice={license.notice} />}
          {allows(role.permissions, Permission.USE) && (
            <Loading fallback={<div className={styles.strip} />}>
              <QuickConnect />
            </Loading>
          )}
          {showJourney && (
            <Journey
              servers={servers ?? 0}
              accounts={accounts ?? 0}
              rules={rules ?? 0}
              sessions={sessions ?? 0}
            />
          )}
          <div className={styles.panels}>
            <div className={styles.column}>
              <Loading fallback={<div className={styles.waiting} />}>
                <Attention needs={needs}>{isAboveAll && <Hardening />}</Attention>
              </Loading>
            </div>
            <div className={styles.column}>
              <LatestSessions />
              <Card title={t(words.recent)} icon={<IconHistory size={16} />}>
                <Latest<Row<typeof loginLog>>
                  source={loginLog}
                  query={{}}
                  empty="-"
                  line={(row) => <SignInLine row={row} />}
                />
              </Card>
              <Loading>{isAboveAll && <SelfTests />}</Loading>
            </div>
          </div>
          {sessions !== 0 && (
            <div className={`${styles.below} ${needs.isPending ? styles.undecided : ''}`}>
              <Loading fallback={<div className={styles.statistics} />}>
                <Statistics />
              </Loading>
            </div>
          )}
        </div>
      </Loading>
    </>
  );
}
