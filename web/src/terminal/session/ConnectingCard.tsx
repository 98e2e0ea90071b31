import { Button, Loader } from '@mantine/core';
import type { ApprovalProgress, ConnectStage, LocalText } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconCircleCheck } from '../icons.ts';
import styles from './Cards.module.css';
import { words } from './words.ts';

const LABELS: Readonly<Record<ConnectStage, LocalText>> = {
  checking: words.stageChecking,
  approval: words.stageApproval,
  gateway: words.stageGateway,
  connecting: words.stageConnecting,
  authenticating: words.stageAuthenticating,
  opening: words.stageOpening,
};

const ORDER: readonly ConnectStage[] = [
  'checking',
  'approval',
  'gateway',
  'connecting',
  'authenticating',
  'opening',
];

interface Props {
  readonly hostname: string;
  readonly stage: ConnectStage;
  readonly progress?: ApprovalProgress | undefined;
  readonly host: string | null;
  readonly gateway: boolean;
  readonly account: string | null;
  readonly onCancel: () => void;
}

/** Returns the seconds since the attempt began. */
function useElapsed(): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const began = Date.now();
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - began) / 1000)), 250);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}

/** The stages of connecting to a server: finished, current and pending. */
export function ConnectingCard({
  hostname,
  stage,
  progress,
  host,
  gateway,
  account,
  onCancel,
}: Props) {
  const detail = progress ? t(words.stageProgress, { ...progress }) : host;
  const seconds = useElapsed();
  const stages = ORDER.filter(
    (name) => (name !== 'gateway' || gateway) && (name !== 'approval' || stage === 'approval'),
  );
  const current = stages.indexOf(stage);
  return (
    <div className={styles.card}>
      <h2 className={styles.title}>{t(words.connectingTo, { host: hostname })}</h2>
      {account ? <p className={styles.account}>{account}</p> : null}
      <ol className={styles.stages}>
        {stages.map((name, index) => {
          const state = index < current ? 'done' : index === current ? 'current' : 'waiting';
          return (
            <li
              key={name}
              data-state={state}
              aria-current={state === 'current' ? 'step' : undefined}
            >
              <span className={styles.stageMark} aria-hidden="true">
                {state === 'done' ? (
                  <IconCircleCheck size={18} />
                ) : state === 'current' ? (
                  <Loader size={16} />
                ) : (
                  <span className={styles.stageDot} />
                )}
              </span>
              <span>{t(LABELS[name])}</span>
              {state === 'current' && detail ? (
                <span className={styles.stageHost}>{detail}</span>
              ) : null}
            </li>
          );
        })}
      </ol>
      <div className={styles.connectingFoot}>
        {/* Read out every second it would drown everything else. */}
        <span aria-live="off">{t(words.elapsed, { seconds })}</span>
        <Button variant="default" size="xs" onClick={onCancel}>
          {t(words.cancel)}
        </Button>
      </div>
    </div>
  );
}
