import { Badge, Button, Loader, Tooltip, useComputedColorScheme } from '@mantine/core';
import { type DesktopFacts, parseDatetime } from '@sallyport/contract';
import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react';
import { Avatar } from '../../kit/avatar/Avatar.tsx';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { timeText } from '../../kit/format/format.ts';
import { t } from '../../kit/i18n/index.ts';
import { words as interventions } from '../../kit/interventions/words.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { Mark } from '../../kit/page/Mark.tsx';
import { paletteOf, type SchemeName } from '../../kit/page/palettes.ts';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import { SessionMarks } from '../../kit/session-marks/SessionMarks.tsx';
import type { Size } from '../connection/terminal-connection.ts';
import { WatchedDesktop } from '../desktop/WatchedDesktop.tsx';
import { IconEye } from '../icons.ts';
import { EndIcon } from '../session/EndIcon.tsx';
import { endOf } from '../session/session-ends.ts';
import { rememberTheme, type SessionRow, useMayTerminate, useSession } from '../useProfile.ts';
import { FittedScreen } from '../view/fitted-screen.ts';
import frame from '../view/TerminalWindow.module.css';
import { WatchActions } from './WatchActions.tsx';
import styles from './WatchScreen.module.css';
import { WaitingFrames, WatchConnection, type WatchState } from './watch-connection.ts';
import { words } from './words.ts';

function Who({ row, size }: { readonly row: SessionRow; readonly size: Size | null }) {
  const started = parseDatetime(row.date_start);
  return (
    <div className={`${frame.who} ${styles.who}`}>
      <Avatar name={row.user} id={row.user_id} />
      <strong>{row.user}</strong>
      <span className={frame.arrow} aria-hidden="true">
        →
      </span>
      <span className={frame.target}>
        {row.system_user}@{row.asset}
      </span>
      <span className={styles.detail}>
        {row.remote_addr ? <span>{t(words.from, { address: row.remote_addr })}</span> : null}
        {started ? <span>{t(words.since, { time: timeText(started) })}</span> : null}
        {size ? (
          <span title={t(words.size)}>
            {size.cols}×{size.rows}
          </span>
        ) : null}
      </span>
    </div>
  );
}

/** Watches a session: its terminal is drawn in `host`, its desktop from the returned frames. */
function useWatched(session: string, scheme: SchemeName) {
  const [state, setState] = useState<WatchState>({ phase: 'joining' });
  const [size, setSize] = useState<Size | null>(null);
  const host = useRef<HTMLDivElement>(null);
  const connection = useMemo(() => new WatchConnection(session), [session]);
  const screen = useRef<FittedScreen | null>(null);
  const firstScheme = useRef(scheme);
  /** The watched desktop; null for a terminal. */
  const [desktop, setDesktop] = useState<{
    readonly facts: DesktopFacts;
    readonly frames: WaitingFrames;
  } | null>(null);
  const frames = useRef<WaitingFrames | null>(null);

  useEffect(() => {
    if (!host.current) return;
    const fitted = new FittedScreen(paletteOf(firstScheme.current));
    screen.current = fitted;
    fitted.mount(host.current);
    const off = [
      connection.on('state', setState),
      connection.on('output', (output) =>
        frames.current ? frames.current.push(output) : fitted.show(output),
      ),
      connection.on('desktop', ({ protocol, width, height, name }) => {
        frames.current = new WaitingFrames();
        setDesktop({ facts: { protocol, width, height, name }, frames: frames.current });
      }),
      connection.on('size', (next) => {
        fitted.resize(next.cols, next.rows);
        setSize(next);
      }),
    ];
    connection.join();
    return () => {
      for (const stop of off) stop();
      connection.leave();
      fitted.dispose();
    };
  }, [connection]);

  useEffect(() => screen.current?.setPalette(paletteOf(scheme)), [scheme]);

  const join = () => {
    screen.current?.reset(size?.cols ?? 80, size?.rows ?? 24);
    connection.join();
  };
  return { host, connection, state, size, desktop, join };
}

/** Another user's live session, as that user sees it. */
export function WatchScreen({ session }: { readonly session: string }) {
  const { data: row } = useSession(session, true);
  const mayTerminate = useMayTerminate();
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  const { host, connection, state, size, desktop, join } = useWatched(session, scheme);
  useEffect(() => {
    document.title = `${t(words.title)}${row ? ` · ${row.user} → ${row.asset}` : ''} · Sallyport`;
  }, [row]);

  return (
    <div
      className={frame.window}
      style={{ '--terminal-ground': paletteOf(scheme).background } as CSSProperties}
    >
      <ConnectionBanner />
      <header className={styles.banner}>
        <Mark size={22} />
        <Tooltip label={t(words.readOnlyHint)}>
          <Badge
            className={styles.badge}
            variant="light"
            color={state.phase === 'live' ? 'teal' : 'gray'}
            leftSection={<IconEye size={13} />}
          >
            {state.phase === 'ended'
              ? t(words.ended)
              : `${t(words.watching)} · ${t(words.readOnly)}`}
          </Badge>
        </Tooltip>
        {row ? <SessionMarks session={row} /> : null}
        {row?.locked_by && !row.is_finished ? (
          <Badge className={styles.locked} variant="light" color="red">
            {t(interventions.lockedBy, { who: row.locked_by })}
          </Badge>
        ) : null}
        {row?.waits_since && !row.is_finished ? (
          <Badge className={styles.locked} variant="light" color="red">
            {t(interventions.waits)}
          </Badge>
        ) : null}
        {row ? <Who row={row} size={size} /> : <span className={frame.who} />}
        {mayTerminate && row && state.phase === 'live' ? <WatchActions row={row} /> : null}
        <ThemeSwitch onChoose={rememberTheme} />
        <LanguageSwitch />
      </header>
      <main className={styles.stage} aria-label={t(words.title)}>
        <div
          ref={host}
          className={`${frame.screen} ${styles.screen}`}
          data-faded={state.phase === 'ended' || undefined}
          hidden={desktop !== null}
        />
        {desktop ? <WatchedDesktop connection={connection} {...desktop} /> : null}
        {state.phase === 'joining' ? (
          <div className={styles.notice} role="status">
            <Loader size={18} />
            {t(words.connecting)}
          </div>
        ) : null}
      </main>
      {state.phase === 'ended' ? <Ended state={state} session={session} onJoin={join} /> : null}
    </div>
  );
}

function Ended({
  state,
  session,
  onJoin,
}: {
  readonly state: Extract<WatchState, { phase: 'ended' }>;
  readonly session: string;
  readonly onJoin: () => void;
}) {
  const end = endOf(state.code);
  const lost = state.code === 'line_lost' || state.code === 'line_refused';
  return (
    <footer className={styles.ended} data-tone={end.tone} role="alert">
      <EndIcon name={end.icon} size={20} />
      <div className={styles.endedText}>
        <strong>{t(lost ? words.lost : end.title)}</strong>
        <span>
          {lost
            ? t(words.lostHint)
            : state.code === 'session_finished' || !state.message
              ? t(words.endedHint)
              : state.message}
        </span>
      </div>
      {lost ? (
        <Button variant="default" size="xs" onClick={onJoin}>
          {t(words.again)}
        </Button>
      ) : null}
      {lost || state.code !== 'session_finished' ? null : (
        <Button component="a" size="xs" href={`/luna/replay/${session}`}>
          {t(words.replay)}
        </Button>
      )}
    </footer>
  );
}
