import { Button } from '@mantine/core';
import { AdministratorHint } from '../../kit/access-request/AdministratorHint.tsx';
import { t } from '../../kit/i18n/index.ts';
import type { ClosedCode } from '../connection/connection-state.ts';
import { ConnectingCard } from '../session/ConnectingCard.tsx';
import { CredentialsCard } from '../session/CredentialsCard.tsx';
import { FactorCard } from '../session/FactorCard.tsx';
import { ReasonCard } from '../session/ReasonCard.tsx';
import { endOf } from '../session/session-ends.ts';
import frame from '../Window.module.css';
import styles from './Query.module.css';
import type { QueryConnection } from './query-connection.ts';
import type { Phase } from './query-state.ts';
import { words } from './words.ts';

export interface QueriedApp {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

interface Props {
  readonly app: QueriedApp;
  readonly account: { readonly label: string };
  readonly connection: QueryConnection;
  readonly phase: Phase;
  readonly onClose: () => void;
}

interface EndedProps {
  readonly code: ClosedCode;
  readonly message: string;
  readonly retry: boolean;
  readonly onReconnect: () => void;
}

/** Says why a session ended or never began, and offers the next step. */
export function Ended({ code, message, retry, onReconnect }: EndedProps) {
  const { title, hint, isWholeStory, hasAdministratorHint } = endOf(code);
  const text = isWholeStory || !message ? hint && t(hint) : message;
  return (
    <div className={styles.ended} role="alert">
      <strong>{t(title)}</strong>
      {text ? <span>{text}</span> : null}
      {hasAdministratorHint ? (
        <span>
          <AdministratorHint />
        </span>
      ) : null}
      {retry ? (
        <Button size="compact-sm" onClick={onReconnect}>
          {t(words.reconnect)}
        </Button>
      ) : null}
    </div>
  );
}

/** A session that is not open: it connects, asks for credentials, or has ended. */
export function BeforeQuery({ app, account, connection, phase, onClose }: Props) {
  return (
    <>
      {phase.name === 'connecting' ? (
        <div className={frame.centered}>
          <ConnectingCard
            hostname={app.name}
            stage={phase.stage}
            progress={phase.progress}
            host={phase.host}
            gateway={phase.gateway}
            account={account.label}
            onCancel={onClose}
          />
        </div>
      ) : null}
      {phase.name === 'credentials' ? (
        <div className={frame.centered}>
          <CredentialsCard
            hostname={app.name}
            username={phase.username}
            reason={phase.reason}
            isNamed={app.type !== 'redis'}
            onAnswer={connection.credentials}
            onCancel={onClose}
          />
        </div>
      ) : null}
      {phase.name === 'factor' ? (
        <div className={frame.centered}>
          <FactorCard
            hostname={app.name}
            again={phase.again}
            onAnswer={connection.factor}
            onCancel={onClose}
          />
        </div>
      ) : null}
      {phase.name === 'reason' ? (
        <div className={frame.centered}>
          <ReasonCard hostname={app.name} onAnswer={connection.reason} onCancel={onClose} />
        </div>
      ) : null}
      {phase.name === 'closed' ? <Ended {...phase} onReconnect={connection.open} /> : null}
    </>
  );
}
