import { Button, Tooltip } from '@mantine/core';
import { END_REASON_MAX, type KillSessionReply } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';
import { askFirst } from '../../kit/dialogs/confirm.ts';
import { t } from '../../kit/i18n/index.ts';
import { askToLock, askToUnlock, askToWrite } from '../../kit/interventions/interventions.ts';
import { words as interventions } from '../../kit/interventions/words.ts';
import { type SessionRow, useProfile } from '../useProfile.ts';
import styles from './WatchScreen.module.css';
import { words } from './words.ts';

/**
 * Asks, then ends the session; its user sees the reason. Can also disable that user, unless it is
 * the caller, `me`.
 */
function askToTerminate(row: SessionRow, me: string | undefined): void {
  askFirst({
    title: t(words.terminateTitle),
    message: t(words.terminateText, { user: row.user, asset: row.asset }),
    confirm: t(words.terminate),
    danger: true,
    consequences: { action: 'terminate', resource: 'session', ids: [row.id] },
    ...(row.user_id &&
      row.user_id !== me && {
        also: {
          label: t(words.alsoDisable, { user: row.user }),
          consequences: { action: 'disable', resource: 'user', ids: [row.user_id] },
          run: () =>
            api.patch(`users/users/${row.user_id}/`, { is_active: false }, { quiet: true }),
        },
      }),
    note: { label: t(words.reason), hint: t(words.reasonHint), max: END_REASON_MAX },
    run: (reason) =>
      api.post<KillSessionReply>(
        'terminal/tasks/kill-session/',
        { sessions: [row.id], reason },
        { quiet: true },
      ),
    success: t(words.terminated),
  });
}

/** Lock, message and end of a watched session, for its administrators. */
export function WatchActions({ row }: { readonly row: SessionRow }) {
  const me = useProfile().data?.id;
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ['session', row.id] });
  const isDesktop = row.kind === 'desktop';
  return (
    <div className={styles.actions}>
      <Button variant="default" size="xs" onClick={() => askToWrite(row)}>
        {t(interventions.message)}
      </Button>
      <Tooltip label={t(interventions.desktop)} disabled={!isDesktop}>
        <Button
          variant="default"
          size="xs"
          {...(isDesktop && { 'data-disabled': true, 'aria-disabled': true })}
          onClick={() => {
            if (isDesktop) return;
            if (row.locked_by === null) askToLock(row, refresh);
            else askToUnlock(row, refresh);
          }}
        >
          {t(row.locked_by === null ? interventions.lock : interventions.unlock)}
        </Button>
      </Tooltip>
      <Button color="red" variant="light" size="xs" onClick={() => askToTerminate(row, me)}>
        {t(words.terminate)}
      </Button>
    </div>
  );
}
