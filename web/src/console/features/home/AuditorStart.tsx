import { allows, loginLog, Permission, type Row, session } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import {
  IconDeviceDesktop,
  IconFingerprint,
  IconHistory,
  IconShieldCheck,
} from '../../../kit/icons.ts';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import detailStyles from '../../resource/detail/Detail.module.css';
import { useCount } from '../../resource/useCount.ts';
import { VerifyButton } from '../audits/VerifyButton.tsx';
import { Attention } from './Attention.tsx';
import { useAttention } from './attention-kinds.ts';
import { Count } from './Count.tsx';
import styles from './Dashboard.module.css';
import { Latest, LIVE, SessionLine, SignInLine } from './Latest.tsx';
import { LatestSessions } from './statistics/LatestSessions.tsx';
import { words } from './words.ts';

const Statistics = lazyComponent(() =>
  import('./statistics/Statistics.tsx').then((module) => module.Statistics),
);

const QuickConnect = lazyComponent(() =>
  import('./QuickConnect.tsx').then((module) => module.QuickConnect),
);

/**
 * The start page of auditors: live sessions, latest events, failed sign-ins, and the integrity of
 * the audit logs.
 */
export function AuditorStart() {
  const needs = useAttention();
  const { role } = useSession();
  const online = useCount(session, { is_finished: 0 }, { refetchEvery: LIVE });
  const sessions = useCount(session);
  const refused = useCount(loginLog, { status: 'false' }, { refetchEvery: LIVE });
  return (
    <>
      <div className={styles.counts}>
        <Count
          title={words.onlineSessions}
          note={t(words.live)}
          to="/terminal/session"
          value={online}
          icon={IconDeviceDesktop}
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
        {sessions !== 0 && (
          <Loading fallback={<div className={styles.statistics} />}>
            <Statistics />
          </Loading>
        )}
        <div className={styles.panels}>
          <div className={styles.column}>
            <Card title={t(words.online)} icon={<IconDeviceDesktop size={16} />}>
              <Latest<Row<typeof session>>
                source={session}
                query={{ is_finished: 0 }}
                empty={t(words.noLive)}
                line={(row) => <SessionLine row={row} />}
              />
            </Card>
            <LatestSessions />
          </div>
          <div className={styles.column}>
            <Card title={t(words.refusedSignIns)} icon={<IconFingerprint size={16} />}>
              <Latest<Row<typeof loginLog>>
                source={loginLog}
                query={{ status: 'false' }}
                empty={t(words.noFailedSignIns)}
                line={(row) => <SignInLine row={row} />}
              />
            </Card>
            {allows(role.current, Permission.SUPER | Permission.AUDIT) && (
              <Card title={t(words.auditLogs)} icon={<IconShieldCheck size={16} />}>
                <div className={`${detailStyles.body} ${styles.verified}`}>
                  <VerifyButton />
                </div>
              </Card>
            )}
            <Attention needs={needs} />
          </div>
        </div>
      </div>
      {allows(role.permissions, Permission.USE) && (
        <div className={styles.below}>
          <Loading fallback={<div className={styles.strip} />}>
            <QuickConnect />
          </Loading>
        </div>
      )}
    </>
  );
}
