import { useState } from 'react';
import { common, language, t } from '../i18n/index.ts';
import styles from './ConnectionBanner.module.css';
import { retryConnection, useConnection } from './connection.ts';
import { words } from './words.ts';

/**
 * Reports a lost connection and the age of the data, and offers a retry. Part of every bundle,
 * because nothing can load offline.
 */
export function ConnectionBanner() {
  const connection = useConnection();
  const [busy, setBusy] = useState(false);
  if (!connection.lost) return null;
  const what = t(connection.offline ? words.offline : words.unreachable);
  const time =
    connection.dataFrom === null
      ? null
      : new Date(connection.dataFrom).toLocaleTimeString(language, {
          hour: '2-digit',
          minute: '2-digit',
          hourCycle: 'h23',
        });
  const retry = () => {
    setBusy(true);
    void retryConnection().finally(() => setBusy(false));
  };
  return (
    <div className={styles.banner} role="status">
      {time === null ? what : t(words.dataFrom, { what, time })}
      <button type="button" disabled={busy} onClick={retry}>
        {t(common.retry)}
      </button>
    </div>
  );
}
