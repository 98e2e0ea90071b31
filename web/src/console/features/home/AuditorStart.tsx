import { allows, loginLog, Permission, type Row, session, ticket } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import {
  IconCircleCheck,
  IconDeviceDesktop,
  IconFingerprint,
  IconHistory,
  IconShieldCheck,
} from '../../../kit/icons.ts';
import { useQuickConnect } from '../../../kit/quick-connect/useQuickConnect.ts';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { useAttention } from '../../base/useAttention.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import detailStyles from '../../resource/detail/Detail.module.css';
import { useCount } from '../../resource/useCount.ts';
import { VerifyButton } from '../audits/index.ts';
import { Attention } from './Attention.tsx';
import { Count } from './Count.tsx';
import styles from './Dashboard.module.css';
import { Latest, LIVE, SessionLine, SignInLine } from './Latest.tsx';
import { QuickConnect } from './QuickConnect.tsx';
import { LatestSessions } from './statistics/LatestSessions.tsx';
import { Statistics } from './statistics/Statistics.tsx';
import { Tops } from './statistics/Tops.tsx';
import { useStatistics } from './statistics/useStatistics.ts';
import { useWaitingTickets } from './WaitingTickets.tsx';
import { words } from './words.ts';

/**
 * The start page of auditors: reviews that wait, live sessions, failed sign-ins, and the integrity
 * of the audit logs.
 */
export function AuditorStart() {
  const needs = useAttention();
  const statistics = useStatistics();
  const tickets = useWaitingTickets();
  const { role } = useSession();
  const quick = useQuickConnect(allows(role.permissions, Permission.USE));
  const online = useCount(session, { is_finished: 0 }, { refetchEvery: LIVE });
  const sessions = useCount(session);
  const refused = useCount(loginLog, { status: 'false' }, { refetchEvery: LIVE });
  return (
    <>
      <div className={styles.counts}>
        <Count
          title={words.reviewsWaiting}
          note={t(words.yourAnswer)}
          to={pagesOf(ticket.name).list}
          search={{ activeTab: 'AssignedTicketList' }}
          value={tickets.data?.count ?? (tickets.isError ? null : undefined)}
          icon={IconCircleCheck}
          asks="answer"
        />
        <Count
          title={words.onlineSessions}
          note={t(words.live)}
          to="/terminal/session"
          value={online}
          icon={IconDeviceDesktop}
          days={statistics.data?.dates_metrics_total_count_login}
        />
        <Count
          title={words.allSessions}
          note={t(words.allTime)}
          to="/terminal/session"
          search={{ activeTab: 'OfflineList' }}
          value={sessions}
          icon={IconHistory}
        />
        <Count
          title={words.refusedSignIns}
          note={t(words.allTime)}
          to="/audits/login-log"
          search={{ status: 'false' }}
          value={refused}
          icon={IconFingerprint}
        />
      </div>
      <div className={sessions === undefined ? styles.undecided : undefined}>
        <div className={styles.panels}>
          <div className={styles.column}>
            {allows(role.current, Permission.SUPER | Permission.AUDIT) && (
              <Card title={t(words.auditLogs)} icon={<IconShieldCheck size={16} />}>
                <div className={`${detailStyles.body} ${styles.verified}`}>
                  <VerifyButton />
                </div>
              </Card>
            )}
            <Attention needs={needs}>
              <Card title={t(words.online)} icon={<IconDeviceDesktop size={16} />}>
                <Latest<Row<typeof session>>
                  source={session}
                  query={{ is_finished: 0 }}
                  empty={t(words.noLive)}
                  line={(row) => <SessionLine row={row} />}
                />
              </Card>
              <Card title={t(words.refusedSignIns)} icon={<IconFingerprint size={16} />}>
                <Latest<Row<typeof loginLog>>
                  source={loginLog}
                  query={{ status: 'false' }}
                  empty={t(words.noFailedSignIns)}
                  line={(row) => <SignInLine row={row} />}
                />
              </Card>
            </Attention>
          </div>
          <div className={styles.column}>
            {sessions !== 0 && <Statistics statistics={statistics} />}
            <LatestSessions />
          </div>
        </div>
        {sessions !== 0 && (
          <div className={styles.below}>
            <Tops statistics={statistics} />
          </div>
        )}
      </div>
      {!!quick.data?.length && (
        <div className={styles.below}>
          <QuickConnect />
        </div>
      )}
    </>
  );
}
