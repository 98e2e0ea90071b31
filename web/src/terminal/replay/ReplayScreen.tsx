import { ActionIcon, Badge, Button, Loader, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { parseDatetime, type ReplayInfo } from '@sallyport/contract';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { ApiError } from '../../kit/api.ts';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { EmergencyMark } from '../../kit/emergency/EmergencyMark.tsx';
import { dateTimeText } from '../../kit/format/format.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { Mark } from '../../kit/page/Mark.tsx';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import { DesktopReplay } from '../desktop/replay/DesktopReplay.tsx';
import {
  IconDownload,
  IconLayoutSidebarRightCollapse,
  IconLayoutSidebarRightExpand,
} from '../icons.ts';
import { EndIcon } from '../session/EndIcon.tsx';
import { rememberTheme, useSession } from '../useProfile.ts';
import frame from '../view/TerminalWindow.module.css';
import styles from './Replay.module.css';
import { ReplayPlayer } from './ReplayPlayer.tsx';
import { type RecordingState, useCommands, useRecording, useReplayInfo } from './useReplay.ts';
import { words } from './words.ts';

const SESSIONS_PAGE = '/ui/terminal/session';

const FAILURES = {
  format: words.failedFormat,
  empty: words.failedEmpty,
  too_large: words.failedTooLarge,
  network: words.failedNetwork,
} as const satisfies Readonly<
  Record<Extract<RecordingState, { phase: 'failed' }>['reason'], unknown>
>;

function Notice({
  title,
  message,
  children,
}: {
  readonly title: string;
  readonly message: string;
  readonly children?: ReactNode;
}) {
  return (
    <main className={styles.notice} role="alert">
      <EndIcon name="alert" size={32} />
      <h1>{title}</h1>
      <p>{message}</p>
      <div className={styles.noticeActions}>
        {children}
        <Button variant="default" component="a" href={SESSIONS_PAGE}>
          {t(words.toSessions)}
        </Button>
      </div>
    </main>
  );
}

function Waiting({ bytes }: { readonly bytes: number }) {
  return (
    <main className={styles.notice} role="status">
      <Loader size={28} />
      <h1>{t(words.loading)}</h1>
      <p>{bytes > 0 ? t(words.loaded, { size: (bytes / 1024 / 1024).toFixed(1) }) : ' '}</p>
    </main>
  );
}

function StateBadge({ state }: { readonly state: ReplayInfo['state'] }) {
  if (state === 'finished') return null;
  const recovered = state === 'recovered';
  return (
    <Tooltip label={t(recovered ? words.recoveredHint : words.live)}>
      <Badge variant="light" color={recovered ? 'yellow' : 'red'} tt="none">
        {t(recovered ? words.recovered : words.live)}
      </Badge>
    </Tooltip>
  );
}

/** The replay of one session, from a given second. */
export function ReplayScreen({ id, at }: { readonly id: string; readonly at: number }) {
  const [attempt, setAttempt] = useState(0);
  const narrow =
    useMediaQuery('(max-width: 767px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const [sideOpen, setSideOpen] = useState(!narrow);
  const [hasKeys, setHasKeys] = useState(false);
  const onKeys = useCallback(() => setHasKeys(true), []);
  const session = useSession(id);
  const info = useReplayInfo(id);
  // Prefetch the commands: the player shows them as soon as the recording has loaded.
  useCommands(id);
  const isDesktop = info.data?.type === 'desktop';
  const recording = useRecording(isDesktop ? undefined : info.data?.src, attempt);
  const started = parseDatetime(info.data?.date_start ?? session.data?.date_start ?? '');

  useEffect(() => {
    const { data } = info;
    const subject = data ? ` · ${data.user} → ${data.asset}` : '';
    document.title = `${t(words.title)}${subject} · Sallyport`;
  }, [info]);

  const content = (): ReactNode => {
    if (info.error) {
      const missing = info.error instanceof ApiError && info.error.status === 404;
      const unknown = missing && session.error !== null;
      const title = t(missing ? words.missingTitle : words.failedTitle);
      return (
        <Notice title={title} message={unknown ? t(words.missingSession) : info.error.message}>
          {missing ? null : <Button onClick={() => void info.refetch()}>{t(common.retry)}</Button>}
        </Notice>
      );
    }
    const failed = (reason: keyof typeof FAILURES, retry: () => void) => (
      <Notice
        title={t(words.failedTitle)}
        message={t(isDesktop && reason === 'format' ? words.failedDesktop : FAILURES[reason])}
      >
        {reason === 'network' ? <Button onClick={retry}>{t(common.retry)}</Button> : null}
      </Notice>
    );
    if (isDesktop && info.data) {
      return (
        <DesktopReplay
          src={info.data.src}
          at={at}
          started={started ?? undefined}
          waiting={(bytes) => <Waiting bytes={bytes} />}
          failed={failed}
          side={{ isOpen: sideOpen, onShow: () => setSideOpen(true), onKeys }}
        />
      );
    }
    if (recording.phase === 'failed')
      return failed(recording.reason, () => setAttempt(attempt + 1));
    if (recording.phase === 'loading') return <Waiting bytes={recording.bytes} />;
    return (
      <ReplayPlayer
        session={id}
        at={at}
        recording={recording.recording}
        started={started ?? undefined}
        sideOpen={sideOpen}
        onShowSide={() => setSideOpen(true)}
      />
    );
  };

  const sideLabel = t(
    isDesktop
      ? sideOpen
        ? words.hideKeys
        : words.showKeys
      : sideOpen
        ? words.hideCommands
        : words.showCommands,
  );
  const SideIcon = sideOpen ? IconLayoutSidebarRightCollapse : IconLayoutSidebarRightExpand;
  return (
    <div className={frame.window}>
      <ConnectionBanner />
      <header className={styles.head}>
        <Mark size={22} />
        <div className={`${frame.who} ${styles.who}`}>
          {info.data ? (
            <>
              <strong>{info.data.user}</strong>
              <span className={frame.arrow} aria-hidden="true">
                →
              </span>
              <span className={frame.target}>
                {info.data.system_user}@{info.data.asset}
              </span>
              {started ? (
                <span className={styles.when}>
                  {t(words.startedAt, { time: dateTimeText(started) })}
                </span>
              ) : null}
              <StateBadge state={info.data.state} />
              {session.data?.is_emergency ? <EmergencyMark /> : null}
            </>
          ) : (
            <strong>{t(words.title)}</strong>
          )}
        </div>
        {info.data ? (
          <>
            <Tooltip label={t(words.download)}>
              <ActionIcon
                component="a"
                href={info.data.download_url}
                download
                variant="subtle"
                color="gray"
                size={34}
                aria-label={t(words.download)}
              >
                <IconDownload size={18} />
              </ActionIcon>
            </Tooltip>
            {isDesktop && !hasKeys ? null : (
              <Tooltip label={sideLabel}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={34}
                  aria-label={sideLabel}
                  aria-expanded={sideOpen}
                  onClick={() => setSideOpen(!sideOpen)}
                >
                  <SideIcon size={18} />
                </ActionIcon>
              </Tooltip>
            )}
          </>
        ) : null}
        <ThemeSwitch onChoose={rememberTheme} />
        <LanguageSwitch />
      </header>
      {content()}
    </div>
  );
}
