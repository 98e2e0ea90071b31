import { Badge, Button, Loader, Tooltip, useComputedColorScheme } from '@mantine/core';
import type { AcceptedInvitation } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../kit/api.ts';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { Mark } from '../../kit/page/Mark.tsx';
import { paletteOf, type SchemeName } from '../../kit/page/palettes.ts';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import { IconEye, IconKeyboard } from '../icons.ts';
import { EndIcon } from '../session/EndIcon.tsx';
import { FactorCard } from '../session/FactorCard.tsx';
import { endOf } from '../session/session-ends.ts';
import { rememberTheme, useProfile } from '../useProfile.ts';
import { FittedScreen } from '../view/fitted-screen.ts';
import frame from '../view/TerminalWindow.module.css';
import styles from '../watch/WatchScreen.module.css';
import { guestConnection, type WatchState } from '../watch/watch-connection.ts';
import own from './GuestScreen.module.css';
import { words } from './words.ts';

const KEPT = 'sallyport-invitation';

const SECRET = /^#([\w-]{20,64})$/;

/**
 * Returns the secret of the invitation link. Removes it from the visible address. This tab keeps it
 * for the sign-in and for reloads.
 */
function takeSecret(): string | null {
  const secret = SECRET.exec(window.location.hash)?.[1];
  if (secret === undefined) return sessionStorage.getItem(KEPT);
  sessionStorage.setItem(KEPT, secret);
  window.history.replaceState(null, '', window.location.pathname);
  return secret;
}

// Read once, before anything leads to the sign-in page.
const secret = takeSecret();

/** Shows the reason for a rejected invitation. */
function Refused({ message }: { readonly message: string }) {
  return (
    <div className={styles.notice} role="alert">
      <EndIcon name="lock" size={20} />
      <div className={styles.endedText}>
        <strong>{t(words.refused)}</strong>
        <span>{message}</span>
      </div>
    </div>
  );
}

/** A colleague's live session, for an invited guest who watches or, if allowed, types. */
export function GuestScreen() {
  // Visitors who are not signed in are led to the sign-in page first.
  const { data: profile } = useProfile();
  const accepted = useQuery({
    queryKey: ['invitation'],
    enabled: profile !== undefined && secret !== null,
    queryFn: () =>
      api.post<AcceptedInvitation>('terminal/invitations/accept/', { secret }, { quiet: true }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const invitation = accepted.data;
  useEffect(() => {
    document.title = `${t(words.title)}${invitation ? ` · ${invitation.user} → ${invitation.asset}` : ''} · Sallyport`;
  }, [invitation]);
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  return (
    <div
      className={frame.window}
      style={{ '--terminal-ground': paletteOf(scheme).background } as CSSProperties}
    >
      <ConnectionBanner />
      {invitation ? (
        <Visit invitation={invitation} />
      ) : (
        <main className={styles.stage}>
          {secret === null ? (
            <Refused message={t(words.noSecret)} />
          ) : accepted.error ? (
            <Refused message={accepted.error.message} />
          ) : (
            <div className={styles.notice} role="status">
              <Loader size={18} />
              {t(words.opening)}
            </div>
          )}
        </main>
      )}
    </div>
  );
}

/** The visit in a session: its terminal is drawn in `host`, and takes input if that is allowed. */
function useVisit(invitation: AcceptedInvitation, scheme: SchemeName) {
  const [state, setState] = useState<WatchState>({ phase: 'joining' });
  const [types, setTypes] = useState(false);
  const [factor, setFactor] = useState<{ readonly again: boolean; readonly time: number } | null>(
    null,
  );
  const connection = useMemo(() => guestConnection(invitation.invitation), [invitation.invitation]);
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<FittedScreen | null>(null);
  const firstScheme = useRef(scheme);
  const label = t(words.screen, { user: invitation.user });

  useEffect(() => {
    if (!host.current) return;
    const fitted = new FittedScreen(paletteOf(firstScheme.current));
    screen.current = fitted;
    fitted.mount(host.current);
    const off = [
      connection.on('state', (next) => {
        setState(next);
        if (next.phase !== 'joining') setFactor(null);
        if (next.phase === 'ended') setTypes(false);
      }),
      connection.on('output', (output) => fitted.show(output)),
      connection.on('size', ({ cols, rows }) => fitted.resize(cols, rows)),
      connection.on('types', setTypes),
      connection.on('factor', (again) => setFactor({ again, time: Date.now() })),
      fitted.onTyped((text) => connection.type(text)),
    ];
    connection.join();
    return () => {
      for (const stop of off) stop();
      connection.leave();
      fitted.dispose();
    };
  }, [connection]);
  useEffect(() => screen.current?.setPalette(paletteOf(scheme)), [scheme]);
  const isLive = state.phase === 'live';
  useEffect(() => {
    screen.current?.setTyping(isLive && types, label);
  }, [isLive, types, label]);

  const join = () => {
    screen.current?.reset(80, 24);
    connection.join();
  };
  const answerFactor = (code: string) => {
    setFactor(null);
    connection.answerFactor(code);
  };
  return { host, state, types, factor, answerFactor, join };
}

function Visit({ invitation }: { readonly invitation: AcceptedInvitation }) {
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  const { host, state, types, factor, answerFactor, join } = useVisit(invitation, scheme);
  return (
    <>
      <header className={styles.banner}>
        <Mark size={22} />
        <Tooltip label={t(types ? words.typingHint : words.watchingHint)}>
          <Badge
            className={styles.badge}
            variant="light"
            color={state.phase !== 'live' ? 'gray' : types ? 'red' : 'teal'}
            leftSection={types ? <IconKeyboard size={13} /> : <IconEye size={13} />}
            role="status"
          >
            {state.phase === 'ended' ? t(words.ended) : t(types ? words.typing : words.watching)}
          </Badge>
        </Tooltip>
        <div className={`${frame.who} ${styles.who}`}>
          <strong>{invitation.user}</strong>
          <span className={frame.arrow} aria-hidden="true">
            →
          </span>
          <span className={frame.target}>
            {invitation.system_user}@{invitation.asset}
          </span>
        </div>
        <ThemeSwitch onChoose={rememberTheme} />
        <LanguageSwitch />
      </header>
      <main className={styles.stage} aria-label={t(words.title)}>
        <div
          ref={host}
          className={`${frame.screen} ${styles.screen} ${types ? own.screen : ''}`}
          data-faded={state.phase === 'ended' || undefined}
        />
        {factor ? (
          <div className={own.over}>
            <FactorCard
              key={factor.time}
              hostname={invitation.asset}
              again={factor.again}
              onAnswer={answerFactor}
              onCancel={() => window.close()}
            />
          </div>
        ) : state.phase === 'joining' ? (
          <div className={styles.notice} role="status">
            <Loader size={18} />
            {t(words.joining)}
          </div>
        ) : null}
      </main>
      {state.phase === 'ended' ? <Ended state={state} onJoin={join} /> : null}
    </>
  );
}

function Ended({
  state,
  onJoin,
}: {
  readonly state: Extract<WatchState, { phase: 'ended' }>;
  readonly onJoin: () => void;
}) {
  const isLost = state.code === 'line_lost' || state.code === 'line_refused';
  const { tone, icon } = endOf(state.code);
  return (
    <footer className={styles.ended} data-tone={tone} role="alert">
      <EndIcon name={icon} size={20} />
      <div className={styles.endedText}>
        <strong>{t(isLost ? words.lost : words.ended)}</strong>
        <span>{isLost ? t(words.lostHint) : state.message}</span>
      </div>
      {state.retry ? (
        <Button variant="default" size="xs" onClick={onJoin}>
          {t(words.again)}
        </Button>
      ) : null}
    </footer>
  );
}
