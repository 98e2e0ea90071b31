import { UnstyledButton } from '@mantine/core';
import { type OwnEmergency, SESSION_MARKS } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { clock } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { SessionMark } from '../../../kit/session-marks/SessionMarks.tsx';
import styles from './EmergencyStatus.module.css';
import { words } from './words.ts';

/** Polling interval: administrators can change the end. */
const EVERY = 30_000;
/** Seconds before the end from which the countdown is emphasized. */
const SOON = 300;

function Countdown({ endsAt }: { readonly endsAt: number }) {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((endsAt - now) / 1_000));
  return (
    <span
      role="timer"
      className={styles.countdown}
      data-soon={left <= SOON || undefined}
      aria-label={t(words.left, { time: clock(left) })}
    >
      {t(words.left, { time: clock(left) })}
    </span>
  );
}

/**
 * The emergency access that a session uses: the time left if the session ends with it, and its
 * early end. Shows nothing for other sessions.
 */
export function EmergencyStatus({ session }: { readonly session: string }) {
  const client = useQueryClient();
  const key = ['own-emergency', session];
  const { data } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const open = await api.get<readonly OwnEmergency[]>('tickets/emergency/own/', {
        signal,
        quiet: true,
      });
      const used = open.find(({ sessions }) => sessions.includes(session));
      return used
        ? {
            ticket: used.ticket,
            endsAt: performance.now() + used.seconds_left * 1_000,
            stays: used.staying.includes(session),
          }
        : null;
    },
    refetchInterval: ({ state }) => (state.data ? EVERY : false),
  });
  if (!data) return null;
  const end = () =>
    askFirst({
      title: t(words.endTitle),
      message: t(words.endQuestion),
      confirm: t(words.endNow),
      danger: true,
      run: async () => {
        await api.post(`tickets/emergency/${data.ticket}/end/`, {});
        await client.invalidateQueries({ queryKey: key });
      },
      success: t(words.ended),
    });
  return (
    <span className={styles.item} data-part>
      <SessionMark mark={SESSION_MARKS[0]} />
      {data.stays ? (
        <span className={styles.countdown}>{t(words.stays)}</span>
      ) : (
        <Countdown endsAt={data.endsAt} />
      )}
      <UnstyledButton className={styles.endButton} onClick={end}>
        {t(words.endNow)}
      </UnstyledButton>
    </span>
  );
}
