import { Skeleton, Text } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { knownHosts, sshCommand, sshConfig, useSshAccess } from '../../../kit/ssh-access.ts';
import styles from '../../resource/detail/Rows.module.css';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { CopyCard } from './CopyCard.tsx';
import { SallyctlCard } from './devices/SallyctlCard.tsx';
import { words } from './words.ts';

/** The setup of OpenSSH: command, configuration and host keys of the bastion. */
function SshSetup({ username }: { readonly username: string }) {
  const query = useSshAccess(true);
  if (query.error) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  const access = query.data;
  if (!access) return <Skeleton height={320} maw={720} />;
  if (access.port === 0) return <Text c="dimmed">{t(words.sshOff)}</Text>;
  return (
    <div className={styles.narrow}>
      <CopyCard
        title={t(words.sshMenu)}
        hint={t(words.sshMenuHint)}
        text={sshCommand(access, username)}
      />
      <CopyCard
        title="~/.ssh/config"
        hint={t(words.sshConfigHint)}
        text={sshConfig(access, username)}
      />
      <CopyCard
        title="~/.ssh/known_hosts"
        hint={t(words.knownHostsHint)}
        text={knownHosts(access)}
      />
    </div>
  );
}

/** Clients for terminals: sallyctl, and the setup of others. */
export function SshClient({ username }: { readonly username: string }) {
  return (
    <div className={styles.narrow}>
      <SallyctlCard />
      <SshSetup username={username} />
    </div>
  );
}
