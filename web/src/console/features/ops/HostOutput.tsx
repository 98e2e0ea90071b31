import type { CommandHost } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import styles from './Batch.module.css';
import { words } from './words.ts';

/** The output of a host, or the reason that it has none. */
export function HostOutput({ host }: { readonly host: CommandHost }) {
  const isEmpty =
    host.state !== 'waiting' &&
    host.state !== 'running' &&
    !host.stdout &&
    !host.stderr &&
    !host.reason;
  return (
    <>
      {host.stdout}
      {host.stderr && <span className={styles.errors}>{host.stderr}</span>}
      {host.reason && <span className={styles.errors}>{host.reason}</span>}
      {isEmpty && t(words.noOutput)}
      {host.is_cut && `\n${t(words.cut)}`}
    </>
  );
}
