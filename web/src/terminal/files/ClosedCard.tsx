import { Button } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import cards from '../session/Cards.module.css';
import type { FilesPhase } from './file-manager.ts';
import { words } from './words.ts';

interface Props {
  readonly phase: Extract<FilesPhase, { kind: 'closed' }>;
  readonly onReconnect: () => void;
  readonly onOtherAccount: (() => void) | undefined;
}

/** Shows why the files are not available, and the next step. */
export function ClosedCard({ phase, onReconnect, onOtherAccount }: Props) {
  return (
    <div className={cards.card} data-tone="warning" role="alert">
      <h2 className={cards.title}>{t(words.disconnected)}</h2>
      {phase.message ? <p className={cards.message}>{phase.message}</p> : null}
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
