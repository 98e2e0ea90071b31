import { Text } from '@mantine/core';
import { allows, type FailureReason, type MendingAct, Permission } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { Card } from '../detail/Cards.tsx';
import styles from './Reasons.module.css';
import { words } from './words.ts';

const ASSET = pagesOf('asset');

/** The fix for each reason: its label, and the page of the asset where the user applies it. */
const MENDS: Readonly<
  Record<MendingAct, { readonly text: keyof typeof words; readonly page: 'detail' | 'update' }>
> = {
  admin_user: { text: 'mendAdminUser', page: 'update' },
  system_user: { text: 'mendSystemUser', page: 'detail' },
  credentials: { text: 'mendCredentials', page: 'detail' },
  host_key: { text: 'mendHostKey', page: 'detail' },
  address: { text: 'mendAddress', page: 'update' },
};

/** Maximum hosts per reason; the table of hosts lists all. */
const SHOWN = 8;

function Reason({ row }: { readonly row: FailureReason }) {
  const { state, reason, count, mend } = row;
  const hosts = row.hosts.slice(0, SHOWN);
  const act = mend && MENDS[mend];
  const address = act?.page === 'update' ? ASSET.update : ASSET.detail;
  return (
    <li className={styles.reason}>
      <Text fz="sm" fw={500}>
        {reason}{' '}
        <Text
          span
          fz="sm"
          fw={400}
          c={state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}
        >
          {t(state === 'failed' ? words.hostsFailed : words.hostsSkipped, { count })}
        </Text>
      </Text>
      <Text fz="sm" component="div" className={styles.hosts ?? ''}>
        {act && <span>{t(words.mend, { act: t(words[act.text]) })}</span>}
        {hosts.map(({ asset, name }) =>
          asset && address ? (
            <PageLink key={asset} to={address(asset)}>
              {name}
            </PageLink>
          ) : (
            <span key={name}>{name}</span>
          ),
        )}
        {count > hosts.length && (
          <Text span fz="sm" c="dimmed">
            {t(words.moreHosts, { count: count - hosts.length })}
          </Text>
        )}
      </Text>
    </li>
  );
}

/**
 * Explains why hosts of a finished run failed or were skipped: one line per reason, with hosts and
 * the fix.
 */
export function Reasons({ job }: { readonly job: string }) {
  const { role } = useSession();
  const { data = [] } = useQuery({
    queryKey: ['job-reasons', job],
    queryFn: ({ signal }) =>
      api.get<readonly FailureReason[]>(`common/jobs/${job}/reasons/`, { signal, quiet: true }),
    enabled: allows(role.permissions, Permission.ADMIN),
  });
  if (data.length === 0) return null;
  return (
    <Card title={t(words.reasons)}>
      <ul className={styles.list}>
        {data.map((row) => (
          <Reason key={`${row.state} ${row.reason}`} row={row} />
        ))}
      </ul>
    </Card>
  );
}
