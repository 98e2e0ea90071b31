import { ConnectingCard } from '../session/ConnectingCard.tsx';
import { CredentialsCard } from '../session/CredentialsCard.tsx';
import { ClosedCard } from './ClosedCard.tsx';
import type { FileManager, FilesPhase } from './file-manager.ts';

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
