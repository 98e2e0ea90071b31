import { Button } from '@mantine/core';
import { AdministratorHint } from '../../kit/access-request/AdministratorHint.tsx';
import { t } from '../../kit/i18n/index.ts';
import type { ClosedCode } from '../connection/connection-state.ts';
import cards from '../session/Cards.module.css';
import { ConnectingCard } from '../session/ConnectingCard.tsx';
import { CredentialsCard } from '../session/CredentialsCard.tsx';
import { ReasonCard } from '../session/ReasonCard.tsx';
import { endOf } from '../session/session-ends.ts';
import type { FileManager, FilesPhase } from './file-manager.ts';
import { words } from './words.ts';

interface ClosedCardProps {
  readonly phase: Extract<FilesPhase, { kind: 'closed' }>;
  readonly onReconnect: () => void;
  readonly onOtherAccount: (() => void) | undefined;
}

/** Shows why the files are not available, and the next step. */
function ClosedCard({ phase, onReconnect, onOtherAccount }: ClosedCardProps) {
  const { title, hasAdministratorHint } = endOf(phase.code as ClosedCode);
  return (
    <div className={cards.card} data-tone="warning" role="alert">
      <h2 className={cards.title}>
        {t(phase.code === 'files_not_connected' ? words.disconnected : title)}
      </h2>
      {phase.message ? <p className={cards.message}>{phase.message}</p> : null}
      {hasAdministratorHint ? (
        <p className={cards.hint}>
          <AdministratorHint />
        </p>
      ) : null}
      <div className={cards.endActions}>
        {onOtherAccount ? (
          <Button variant="default" onClick={onOtherAccount}>
            {t(words.otherAccount)}
          </Button>
        ) : null}
        {phase.retry ? (
          <Button data-autofocus onClick={onReconnect}>
            {t(words.reconnect)}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

interface Props {
  readonly hostname: string;
  readonly account: string;
  readonly manager: FileManager;
  readonly phase: Exclude<FilesPhase, { kind: 'open' }>;
  readonly onOtherAccount?: (() => void) | undefined;
}

/** Progress of the connection before files are visible, or the reason for its failure. */
export function PhaseCard({ hostname, account, manager, phase, onOtherAccount }: Props) {
  switch (phase.kind) {
    case 'connecting':
      return (
        <ConnectingCard
          hostname={hostname}
          stage={phase.stage}
          progress={phase.progress}
          host={phase.host}
          gateway={phase.gateway}
          account={account}
          onCancel={() => manager.cancel()}
        />
      );
    case 'asking':
      return (
        <CredentialsCard
          key={phase.reason}
          hostname={hostname}
          username={phase.username}
          isNamed
          reason={phase.reason}
          onAnswer={(username, password) => void manager.start({ username, password })}
          onCancel={() => manager.cancel()}
        />
      );
    case 'reason':
      return (
        <ReasonCard
          hostname={hostname}
          onAnswer={(reason) => void manager.start({ reason })}
          onCancel={() => manager.cancel()}
        />
      );
    case 'closed':
      return (
        <ClosedCard
          phase={phase}
          onReconnect={() => void manager.start()}
          onOtherAccount={onOtherAccount}
        />
      );
  }
}
