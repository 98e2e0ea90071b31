import { Button, Loader } from '@mantine/core';
import { type LocalText, protocolOf } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { AdministratorHint } from '../../kit/access-request/AdministratorHint.tsx';
import { t } from '../../kit/i18n/index.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import type { ConnectionState } from '../connection/connection-state.ts';
import { accountLabel } from '../tabs/accounts.ts';
import type { SessionSnapshot } from '../tabs/session-snapshot.ts';
import type { SessionTab } from '../tabs/session-tab.ts';
import { AccountCard } from './AccountCard.tsx';
import { AwayNotice } from './AwayNotice.tsx';
import cards from './Cards.module.css';
import { ConnectingCard } from './ConnectingCard.tsx';
import { CredentialsCard } from './CredentialsCard.tsx';
import { EndIcon } from './EndIcon.tsx';
import { EndNotice } from './EndNotice.tsx';
import styles from './SessionPane.module.css';
import type { EndIcon as IconName } from './session-end.ts';
import { endWords, words } from './words.ts';

const FactorCard = lazyComponent(() =>
  import('./FactorCard.tsx').then((module) => module.FactorCard),
);

const ReasonCard = lazyComponent(() =>
  import('./ReasonCard.tsx').then((module) => module.ReasonCard),
);

interface Props {
  readonly session: SessionTab;
  readonly snapshot: SessionSnapshot;
  readonly onClose: () => void;
}

/** Returns the reason for which a restored tab has no session. */
function restoredReason(connection: ConnectionState): string {
  const reason =
    connection.phase === 'closed' && connection.code !== 'session_gone' ? connection.message : null;
  return reason ?? t(endWords.restoredHint);
}

type Choice = SessionSnapshot['choice'];
type Chosen = Extract<Choice, { kind: 'chosen' }>;

/** The card until an account is chosen. */
function choiceCard({ session, snapshot, onClose }: Props, choice: Exclude<Choice, Chosen>) {
  switch (choice.kind) {
    case 'loading':
      return (
        <div className={cards.card} data-small>
          <Loader size={20} />
          <span>{t(words.loadingAccounts)}</span>
        </div>
      );
    case 'restored':
      return (
        <PlainNotice
          icon="line"
          title={endWords.restoredTitle}
          message={restoredReason(snapshot.connection)}
          onRetry={() => session.reconnect()}
          onClose={onClose}
        />
      );
    case 'failed':
      return (
        <PlainNotice
          icon="alert"
          title={endWords.accountsFailedTitle}
          message={choice.detail}
          onRetry={() => void session.start()}
          onClose={onClose}
        />
      );
    case 'none':
      return (
        <PlainNotice
          icon="lock"
          title={endWords.noAccountTitle}
          message={
            <>
              {t(endWords.noAccountHint)}
              <AdministratorHint />
            </>
          }
          onRetry={() => void session.start()}
          onClose={onClose}
        />
      );
    case 'asking':
      return (
        <AccountCard
          hostname={session.asset.hostname}
          accounts={choice.accounts}
          others={choice.others}
          onChoose={(account) => session.choose(account)}
        />
      );
  }
}

/** The card of a connection with the chosen account. */
function connectionCard({ session, snapshot, onClose }: Props, choice: Chosen) {
  const { connection } = snapshot;
  const { hostname } = session.asset;
  switch (connection.phase) {
    case 'connecting':
      return (
        <ConnectingCard
          hostname={hostname}
          account={accountLabel(choice.account)}
          onCancel={() => session.cancel()}
          {...connection}
        />
      );
    case 'credentials':
      if (connection.reason === 'approval')
        return (
          <ReasonCard
            hostname={hostname}
            onAnswer={(reason) => session.answer('', reason)}
            onCancel={onClose}
          />
        );
      if (connection.reason === 'factor' || connection.reason === 'factor_again')
        return (
          <FactorCard
            key={connection.reason}
            hostname={hostname}
            again={connection.reason === 'factor_again'}
            onAnswer={(code) => session.answer('', code)}
            onCancel={onClose}
          />
        );
      return (
        <CredentialsCard
          // A rejection resets the form, which keeps the rejected user name.
          key={connection.reason}
          hostname={hostname}
          username={connection.username}
          reason={connection.reason}
          isNamed={protocolOf(choice.account.protocol)?.account.requiresLogin !== false}
          hasPrompts={choice.account.protocol === 'telnet'}
          onAnswer={(username, password) => session.answer(username, password)}
          onCancel={onClose}
        />
      );
    case 'closed':
      return (
        <EndNotice
          end={connection}
          docked={isDocked(snapshot)}
          several={choice.several}
          onReconnect={() => session.reconnect()}
          onChooseAgain={() => void session.start({ kind: 'choose' })}
          onClose={onClose}
        />
      );
    default:
      return null;
  }
}

function content(props: Props) {
  const { session, snapshot, onClose } = props;
  const { choice, connection } = snapshot;
  if (connection.phase === 'away')
    return <AwayNotice state={connection} onRetry={() => session.returnNow()} onClose={onClose} />;
  if (connection.phase === 'open') return null;
  return choice.kind === 'chosen' ? connectionCard(props, choice) : choiceCard(props, choice);
}

/** Returns true if a notice is shown below the text of the session, which stays readable. */
export function isDocked({ choice, connection, opened }: SessionSnapshot): boolean {
  if (connection.phase === 'away') return connection.shell !== null;
  return connection.phase === 'closed' && opened > 0 && choice.kind === 'chosen';
}

/** Cards over the screen of a session until it opens, and below the screen after its end. */
export function SessionOverlay(props: Props) {
  const card = content(props);
  if (!card) return null;
  const docked = isDocked(props.snapshot);
  return (
    <div
      className={docked ? styles.dock : styles.overlay}
      data-over-screen={!docked || undefined}
      aria-live="polite"
    >
      {card}
    </div>
  );
}

interface PlainNoticeProps {
  readonly icon: IconName;
  readonly title: LocalText;
  readonly message: ReactNode;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

/** Notice in a tab that could not begin to connect. */
function PlainNotice({ icon, title, message, onRetry, onClose }: PlainNoticeProps) {
  return (
    <div className={cards.card} data-tone="warning" role="alert">
      <div className={cards.endHead}>
        <span className={cards.endIcon} data-tone="warning">
          <EndIcon name={icon} size={26} />
        </span>
        <div className={cards.endText}>
          <h2 className={cards.title}>{t(title)}</h2>
          <p className={cards.message}>{message}</p>
        </div>
      </div>
      <div className={cards.endActions}>
        <Button variant="default" onClick={onClose}>
          {t(words.closeTab)}
        </Button>
        <Button onClick={onRetry} data-autofocus>
          {t(words.reconnect)}
        </Button>
      </div>
    </div>
  );
}
