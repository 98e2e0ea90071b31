import { Button } from '@mantine/core';
import { AdministratorHint } from '../../kit/access-request/AdministratorHint.tsx';
import { t } from '../../kit/i18n/index.ts';
import type { ConnectionState } from '../connection/connection-state.ts';
import styles from './Cards.module.css';
import { EndIcon } from './EndIcon.tsx';
import { endOf } from './session-ends.ts';
import { words } from './words.ts';

interface Props {
  readonly end: Extract<ConnectionState, { phase: 'closed' }>;
  /** Shows a bar below readable output instead of a card over an empty screen. */
  readonly docked: boolean;
  readonly several: boolean;
  readonly onReconnect: () => void;
  readonly onChooseAgain: () => void;
  readonly onClose: () => void;
}

/** Shows how and why a connection ended, and the next step. */
export function EndNotice({ end, docked, several, onReconnect, onChooseAgain, onClose }: Props) {
  const {
    tone,
    icon,
    title,
    hint,
    isWholeStory = false,
    hasAdministratorHint = false,
  } = endOf(end.code);
  const message = isWholeStory ? '' : end.message;
  // An administrator ended this session, so reconnecting is not the first choice.
  const isMeant = end.code === 'session_terminated';
  const closing = (
    <Button {...(isMeant ? { 'data-autofocus': true } : { variant: 'default' })} onClick={onClose}>
      {t(words.closeTab)}
    </Button>
  );
  return (
    <div className={docked ? styles.docked : styles.card} data-tone={tone} role="alert">
      <div className={styles.endHead}>
        <span className={styles.endIcon} data-tone={tone}>
          <EndIcon name={icon} size={docked ? 20 : 26} />
        </span>
        <div className={styles.endText}>
          <h2 className={styles.title}>{t(title)}</h2>
          {message ? <p className={styles.message}>{message}</p> : null}
          {(hint || hasAdministratorHint) && !(docked && message) ? (
            <p className={styles.hint}>
              {hint ? t(hint) : null}
              {hasAdministratorHint && <AdministratorHint />}
            </p>
          ) : null}
          {docked && end.session ? (
            <p className={styles.sessionLine}>
              {t(words.sessionId)} <code>{end.session}</code>
            </p>
          ) : null}
        </div>
      </div>
      <div className={styles.endActions}>
        {several ? (
          <Button variant="default" onClick={onChooseAgain}>
            {t(words.otherAccount)}
          </Button>
        ) : null}
        {isMeant ? null : closing}
        {end.retry ? (
          <Button
            onClick={onReconnect}
            {...(isMeant
              ? { variant: 'default' }
              : { autoFocus: !docked, 'data-autofocus': true, title: t(words.enterReconnects) })}
          >
            {t(words.reconnect)}
          </Button>
        ) : null}
        {isMeant ? closing : null}
      </div>
    </div>
  );
}
