import { Tooltip, UnstyledButton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { copyText } from '../../kit/clipboard.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { clock } from '../../kit/format/format.ts';
import { t } from '../../kit/i18n/index.ts';
import type { Size } from '../connection/terminal-connection.ts';
import { STATUS_PARTS } from '../features/status-parts.ts';
import { IconCopy } from '../icons.ts';
import type { SessionSnapshot } from '../tabs/session-snapshot.ts';
import type { SessionTab } from '../tabs/session-tab.ts';
import { words as windowWords } from '../words.ts';
import styles from './SessionPane.module.css';
import { Recorded, STATUS_LABELS, StatusMark, statusOf } from './StatusMark.tsx';
import { words } from './words.ts';

/** Copies a session's id and confirms it. */
export async function copySessionId(id: string): Promise<void> {
  if (await copyText(id)) toast.success(t(windowWords.copied));
  else toast.error(t(windowWords.copyFailed));
}

function Duration({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span className={styles.figures}>{clock((now - since) / 1000)}</span>;
}

/** The line below a terminal: state, account and host, recording, duration and size. */
export function StatusBar({
  session,
  snapshot,
}: {
  readonly session: SessionTab;
  readonly snapshot: SessionSnapshot;
}) {
  const { connection } = snapshot;
  const [size, setSize] = useState<Size>(session.view.size);
  useEffect(() => {
    setSize(session.view.size);
    return session.view.on('size', setSize);
  }, [session]);
  const status = statusOf(snapshot);
  return (
    <footer className={styles.status}>
      <span className={styles.statusItem}>
        <StatusMark status={status} />
        {t(STATUS_LABELS[status])}
      </span>
      {connection.phase === 'open' ? (
        <>
          <span className={styles.statusItem} data-strong>
            {connection.account}
            {connection.account ? <span className={styles.at}>@</span> : null}
            {connection.asset}
          </span>
          <span className={styles.statusItem} data-wide>
            {session.asset.ip}
          </span>
          <Recorded />
          {STATUS_PARTS.map((Part) => (
            <Part key={Part.name} session={connection.session} />
          ))}
          {connection.old ? (
            <Tooltip label={t(words.oldHint, { names: connection.old })}>
              <span className={styles.statusItem} data-old>
                {t(words.old)}
              </span>
            </Tooltip>
          ) : null}
        </>
      ) : null}
      <span className={styles.statusGap} />
      {connection.phase === 'open' ? (
        <>
          <span className={styles.statusItem} data-wide>
            <Duration since={connection.since} />
          </span>
          <Tooltip label={t(windowWords.copySession)}>
            <UnstyledButton
              className={styles.statusButton}
              data-wide
              onClick={() => void copySessionId(connection.session)}
            >
              <span className={styles.visuallyHidden}>{t(words.sessionId)}</span>
              {connection.session.slice(0, 8)}
              <IconCopy size={12} aria-hidden="true" />
            </UnstyledButton>
          </Tooltip>
        </>
      ) : null}
      {snapshot.desktop ? null : (
        <span className={styles.statusItem} data-wide>
          <span className={styles.figures}>
            {size.cols}×{size.rows}
          </span>
        </span>
      )}
    </footer>
  );
}
