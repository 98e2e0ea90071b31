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
  ticket,
  user,
} from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import {
  IconBolt,
  IconCircleCheck,
  IconDeviceDesktop,
  IconHistory,
  IconUserCheck,
} from '../../../kit/icons.ts';
import { useQuickConnect } from '../../../kit/quick-connect/useQuickConnect.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { type Needs, useAttention } from '../../base/useAttention.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { useCount } from '../../resource/useCount.ts';
import { Attention } from './Attention.tsx';
import { AuditorStart } from './AuditorStart.tsx';
import { KINDS, listOf } from './attention-kinds.ts';
import { Count } from './Count.tsx';
import styles from './Dashboard.module.css';
import { isEmpty } from './first/first-state.ts';
import { Steps } from './first/Steps.tsx';
import { TeamCard } from './first/TeamCard.tsx';
import { Hardening } from './Hardening.tsx';
import { Latest, LIVE, SignInLine } from './Latest.tsx';
import { LicenseAlert, useLicenseNotice } from './LicenseAlert.tsx';
import { QuickConnect } from './QuickConnect.tsx';
import { SelfTests } from './SelfTests.tsx';
import { LatestSessions } from './statistics/LatestSessions.tsx';
import { Statistics } from './statistics/Statistics.tsx';
import { Tops } from './statistics/Tops.tsx';
import { useIndex } from './statistics/useIndex.ts';
import { type StatisticsModel, useStatistics } from './statistics/useStatistics.ts';
import { useWaitingTickets } from './WaitingTickets.tsx';
import { useHardening } from './weak-settings.ts';
import { words } from './words.ts';

/**
 * The start page of the admin area: recent events for auditors; numbers and open work for
 * administrators.
 */
export function Dashboard() {
  const { role } = useSession();
  const isAuditor = !allows(role.current, Permission.ADMIN);
  return isAuditor ? (
    <>
      <PageHeader />
      <AuditorStart />
    </>
  ) : (
    <AdminStart />
  );
}

/** Accounts without a sign-in for this number of days may be obsolete. */
const UNSEEN_DAYS = 90;

const joined = (...parts: readonly (string | false)[]): string => parts.filter(Boolean).join(' · ');

const countText = (count: number | null | undefined, text: LocalText, params = {}) =>
  typeof count === 'number' && t(text, { count, ...params });

interface InventoryProps {
  readonly users: number | null | undefined;
  readonly assets: number | null | undefined;
}

/** The numbers of users and assets, small next to the title. */
function Inventory({ users, assets }: InventoryProps) {
  const invalid = useCount(user, { is_valid: 'false' });
  const unseen = useCount(user, { not_seen_days: UNSEEN_DAYS });
  const inactive = useCount(asset, { is_active: 'false' });
  return (
    <div className={styles.inventory}>
      <PageLink to={pagesOf(user.name).list}>
        {joined(
          countText(users, words.usersInAll),
          !!invalid && countText(invalid, words.invalidUsers),
          !!unseen && countText(unseen, words.unseenUsers, { days: UNSEEN_DAYS }),
        )}
      </PageLink>
      <PageLink to={pagesOf(asset.name).list}>
        {joined(
          countText(assets, words.assetsInAll),
          !!inactive && countText(inactive, words.inactiveAssets),
        )}
      </PageLink>
    </div>
  );
}

interface ActsProps {
  readonly totals: ReturnType<typeof useIndex>;
  readonly sessions: number | null | undefined;
  readonly needs: Needs;
  readonly statistics: StatisticsModel;
}

/** The numbers that ask for an act, and the live sessions. */
function Acts({ totals, sessions, needs, statistics }: ActsProps) {
  const tickets = useWaitingTickets();
  const total = (count: number | undefined) => count ?? (totals.isError ? null : undefined);
  const failed = needs.data?.find(({ kind }) => kind === 'failed_jobs')?.count;
  const { search } = KINDS.failed_jobs;
  return (
    <div className={styles.counts}>
      <Count
        title={words.requestsWaiting}
        note={t(words.yourAnswer)}
        to={pagesOf(ticket.name).list}
        search={{ activeTab: 'AssignedTicketList' }}
        value={tickets.data?.count ?? (tickets.isError ? null : undefined)}
        icon={IconCircleCheck}
        asks="answer"
      />
      <Count
        title={words.jobsFailed}
        note={t(words.lastDay)}
        to={listOf(KINDS.failed_jobs)}
        {...(search && { search })}
        value={needs.data ? (failed ?? 0) : needs.isError ? null : undefined}
        icon={IconBolt}
        asks="repair"
      />
      <Count
        title={words.onlineSessions}
        note={joined(countText(sessions, words.sum)) || undefined}
        to={pagesOf(session.name).list}
        value={total(totals.data?.total_count_online_sessions)}
        icon={IconDeviceDesktop}
        days={statistics.data?.dates_metrics_total_count_login}
      />
      <Count
        title={words.onlineUsers}
        note={t(words.withSession)}
        to={pagesOf(user.name).list}
        search={{ is_online: '1' }}
        value={total(totals.data?.total_count_online_users)}
        icon={IconUserCheck}
        days={statistics.data?.dates_metrics_total_count_active_users}
      />
    </div>
  );
}

function RecentSignIns() {
  return (
    <Card title={t(words.recent)} icon={<IconHistory size={16} />}>
      <Latest<Row<typeof loginLog>>
        source={loginLog}
        query={{}}
        empty={t(words.noSignIns)}
        line={(row) => <SignInLine row={row} />}
      />
    </Card>
  );
}

function AdminStart() {
  const { role } = useSession();
  const isAboveAll = allows(role.current, Permission.SUPER);
  const mayConnect = allows(role.permissions, Permission.USE);
  const totals = useIndex(['total_count'], LIVE);
  const total = (count: number | undefined) => count ?? (totals.isError ? null : undefined);
  const servers = total(totals.data?.total_count_assets);
  const rules = useCount(assetPermission);
  const accounts = useCount(systemUser);
  const sessions = useCount(session);
  const license = useLicenseNotice(isAboveAll);
  const quick = useQuickConnect(mayConnect);
  const statistics = useStatistics();
  // The statistics below stay hidden until the height of this list is known.
  const needs = useAttention();
  const tickets = useWaitingTickets();
  const isListed = !needs.isPending && !tickets.isPending;
  // Load together with the other requests, for the card below.
  useHardening(isAboveAll);
  // Parts below the numbers stay hidden until all requests that decide the layout have finished, so
  // that nothing moves.
  const isDecided =
    ![servers, accounts, rules, sessions].includes(undefined) &&
    !license.isPending &&
    !quick.isLoading;
  const counts = {
    servers: servers ?? 0,
    accounts: accounts ?? 0,
    rules: rules ?? 0,
    sessions: sessions ?? 0,
  };
  const showJourney = isDecided && [servers, accounts, rules, sessions].includes(0);
  // An empty installation has its steps and what needs attention, nothing else.
  const isBare = showJourney && isEmpty(counts);
  const isAlone = isAboveAll && totals.data?.total_count_users === 1;

  return (
    <>
      <PageHeader>
        <Inventory users={total(totals.data?.total_count_users)} assets={servers} />
      </PageHeader>
      {/* An empty installation begins with its steps. */}
      {!showJourney && <Acts {...{ totals, sessions, needs, statistics }} />}
      <div className={isDecided ? undefined : styles.undecided}>
        {license.notice && <LicenseAlert notice={license.notice} />}
        {!!quick.data?.length && <QuickConnect />}
        {showJourney && <Steps {...counts} setsUp={isAboveAll} />}
        <div className={styles.panels}>
          <div className={styles.column}>
            <Attention needs={needs}>
              {!isBare && (
                <>
                  {isAlone && !showJourney && <TeamCard />}
                  {isAboveAll && <Hardening />}
                  <RecentSignIns />
                </>
              )}
            </Attention>
          </div>
          {!isBare && (
            <div className={`${styles.column} ${isListed ? '' : styles.unlisted}`}>
              {sessions !== 0 && <Statistics statistics={statistics} />}
              {sessions !== 0 && <LatestSessions />}
              {isAboveAll && <SelfTests />}
            </div>
          )}
        </div>
        {sessions !== 0 && (
          <div className={`${styles.below} ${needs.isPending ? styles.undecided : ''}`}>
            <Tops statistics={statistics} />
          </div>
        )}
      </div>
    </>
  );
}
