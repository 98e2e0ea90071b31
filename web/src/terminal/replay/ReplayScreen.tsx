import { Badge, Button, Loader, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  type SessionMarks as Marked,
  parseDatetime,
  type ReplayInfo,
  SECOND_CONSOLE,
} from '@sallyport/contract';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { ApiError } from '../../kit/api.ts';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { dateTimeText } from '../../kit/format/format.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { Mark } from '../../kit/page/Mark.tsx';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import { ToolButton, ToolLink } from '../../kit/page/ToolButton.tsx';
import { SessionMarks } from '../../kit/session-marks/SessionMarks.tsx';
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

const SESSIONS_PAGE = `${SECOND_CONSOLE}/terminal/session`;

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
      <Badge variant="light" color={recovered ? 'yellow' : 'red'}>
        {t(recovered ? words.recovered : words.live)}
      </Badge>
    </Tooltip>
  );
}

/** Says why the recording cannot be shown, and retries after a network failure. */
function FailedNotice({
  reason,
  isDesktop,
  onRetry,
}: {
  readonly reason: keyof typeof FAILURES;
  readonly isDesktop: boolean;
  readonly onRetry: () => void;
}) {
  return (
    <Notice
      title={t(words.failedTitle)}
      message={t(isDesktop && reason === 'format' ? words.failedDesktop : FAILURES[reason])}
    >
      {reason === 'network' ? <Button onClick={onRetry}>{t(common.retry)}</Button> : null}
    </Notice>
  );
}

/** The panel at the right, with the commands of a terminal or the keys of a desktop. */
function useSide() {
  const isNarrow =
    useMediaQuery('(max-width: 767px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const [isOpen, setOpen] = useState(!isNarrow);
  const [hasKeys, setHasKeys] = useState(false);
  return {
    isOpen,
    toggle: () => setOpen(!isOpen),
    onShow: () => setOpen(true),
    hasKeys,
    onKeys: useCallback(() => setHasKeys(true), []),
  };
}

interface PartProps {
  readonly info: ReplayInfo;
  readonly side: ReturnType<typeof useSide>;
  readonly started: Date | undefined;
}

function SideButton({
  isDesktop,
  side,
}: { readonly isDesktop: boolean } & Pick<PartProps, 'side'>) {
  const { isOpen, toggle } = side;
  const hide = isDesktop ? words.hideKeys : words.hideCommands;
  const show = isDesktop ? words.showKeys : words.showCommands;
  const label = t(isOpen ? hide : show);
  const SideIcon = isOpen ? IconLayoutSidebarRightCollapse : IconLayoutSidebarRightExpand;
  return (
    <ToolButton label={label} size={34} aria-expanded={isOpen} onClick={toggle}>
      <SideIcon size={18} />
    </ToolButton>
  );
}

/** The user, the asset and the start of the session. */
function Subject({
  info,
  started,
  marks,
}: Omit<PartProps, 'side'> & { readonly marks: Marked | undefined }) {
  return (
    <>
      <strong>{info.user}</strong>
      <span className={frame.arrow} aria-hidden="true">
        →
      </span>
      <span className={frame.target}>
        {info.system_user}@{info.asset}
      </span>
      {started ? (
        <span className={styles.when}>{t(words.startedAt, { time: dateTimeText(started) })}</span>
      ) : null}
      <StateBadge state={info.state} />
      {marks ? <SessionMarks session={marks} /> : null}
    </>
  );
}

function DownloadButton({ address }: { readonly address: string }) {
  return (
    <ToolLink label={t(words.download)} href={address} download size={34}>
      <IconDownload size={18} />
    </ToolLink>
  );
}

interface RecordingProps extends PartProps {
  readonly id: string;
  readonly at: number;
}

function DesktopRecording({ at, info, started, side }: RecordingProps) {
  return (
    <DesktopReplay
      src={info.src}
      at={at}
      started={started}
      waiting={(bytes) => <Waiting bytes={bytes} />}
      failed={(reason, retry) => <FailedNotice reason={reason} isDesktop onRetry={retry} />}
      side={side}
    />
  );
}

function TerminalRecording({ id, at, info, started, side }: RecordingProps) {
  const [attempt, setAttempt] = useState(0);
  const state = useRecording(info.src, attempt);
  if (state.phase === 'failed') {
    const retry = () => setAttempt(attempt + 1);
    return <FailedNotice reason={state.reason} isDesktop={false} onRetry={retry} />;
  }
  if (state.phase === 'loading') return <Waiting bytes={state.bytes} />;
  return (
    <ReplayPlayer
      session={id}
      at={at}
      recording={state.recording}
      bytes={state.bytes}
      started={started}
      sideOpen={side.isOpen}
      onShowSide={side.onShow}
    />
  );
}

/** The replay of one session, from a given second. */
export function ReplayScreen({ id, at }: { readonly id: string; readonly at: number }) {
  const side = useSide();
  const session = useSession(id);
  const { data: info, error, refetch } = useReplayInfo(id);
  // Prefetch the commands: the player shows them as soon as the recording has loaded.
  useCommands(id);
  const isDesktop = info?.type === 'desktop';
  const started = parseDatetime(info?.date_start ?? session.data?.date_start ?? '') ?? undefined;

  useEffect(() => {
    const subject = info ? ` · ${info.user} → ${info.asset}` : '';
    document.title = `${t(words.title)}${subject} · Sallyport`;
  }, [info]);

  const content = (): ReactNode => {
    if (error) {
      const missing = error instanceof ApiError && error.status === 404;
      const isRefused = error instanceof ApiError && error.code === 'permission_denied';
      const unknown = missing && session.error !== null;
      const title = t(missing ? words.missingTitle : words.failedTitle);
      return (
        <Notice title={title} message={unknown ? t(words.missingSession) : error.message}>
          {missing || isRefused ? null : (
            <Button onClick={() => void refetch()}>{t(common.retry)}</Button>
          )}
        </Notice>
      );
    }
    if (!info) return <Waiting bytes={0} />;
    const Recording = isDesktop ? DesktopRecording : TerminalRecording;
    return <Recording id={id} at={at} info={info} started={started} side={side} />;
  };

  return (
    <div className={frame.window}>
      <ConnectionBanner />
      <header className={styles.head}>
        <Mark size={22} />
        <div className={`${frame.who} ${styles.who}`}>
          {info ? (
            <Subject info={info} started={started} marks={session.data} />
          ) : (
            <strong>{t(words.title)}</strong>
          )}
        </div>
        {info ? (
          <>
            <DownloadButton address={info.download_url} />
            {isDesktop && !side.hasKeys ? null : <SideButton isDesktop={isDesktop} side={side} />}
          </>
        ) : null}
        <ThemeSwitch onChoose={rememberTheme} />
        <LanguageSwitch />
      </header>
      {content()}
    </div>
  );
}
