import { Box } from '@mantine/core';
import type { CommandHost } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import styles from './Batch.module.css';
import { HostState } from './HostState.tsx';
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

/** Groups hosts with the same state and output, the most hosts first. */
export function groupByOutput(hosts: readonly CommandHost[]): readonly (readonly CommandHost[])[] {
  const groups = Map.groupBy(hosts, ({ state, rc, stdout, stderr, reason, is_cut: isCut }) =>
    JSON.stringify([state, rc, stdout, stderr, reason, isCut]),
  );
  return [...groups.values()].toSorted((one, other) => other.length - one.length);
}

/** Shows each output once, with the servers that gave it. */
export function EqualOutputs({ hosts }: { readonly hosts: readonly CommandHost[] }) {
  return (
    <div className={styles.groups} role="log" aria-label={t(words.merged)}>
      {groupByOutput(hosts).map((group) => {
        const [first] = group;
        if (!first) return null;
        const names = group.map(({ hostname, ip }) => `${hostname} (${ip})`).join(', ');
        return (
          <section key={first.id}>
            <div className={styles.groupHead}>
              <HostState host={first} />
              {group.length === 1 ? (
                <strong>{names}</strong>
              ) : (
                <details>
                  <summary>{t(words.serverCount, { count: group.length })}</summary>
                  {names}
                </details>
              )}
            </div>
            <Box component="pre" className={styles.output} tabIndex={0}>
              <HostOutput host={first} />
            </Box>
          </section>
        );
      })}
    </div>
  );
}
