import { Button, Skeleton, Text } from '@mantine/core';
import { copyText } from '../../../kit/clipboard.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { IconCopy } from '../../../kit/icons.ts';
import { knownHosts, sshCommand, sshConfig, useSshAccess } from '../../../kit/ssh-access.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import styles from './Profile.module.css';
import { words } from './words.ts';

/** A text for a file or a command line, with a copy button. */
function CopyCard({
  title,
  hint,
  text,
}: {
  readonly title: string;
  readonly hint: string;
  readonly text: string;
}) {
  async function copy() {
    if (await copyText(text)) toast.success(t(words.copied));
    else toast.error(t(words.notCopied));
  }
  return (
    <Card title={title}>
      <div className={styles.sole}>
        <Text fz="sm" c="dimmed" mb="xs">
          {hint}
        </Text>
        <pre className={`mono ${styles.code}`}>{text}</pre>
        <Button
          variant="default"
          leftSection={<IconCopy size={16} />}
          onClick={() => void copy()}
          aria-label={`${t(words.copy)}: ${title}`}
        >
          {t(words.copy)}
        </Button>
      </div>
    </Card>
  );
}

/** The setup for an SSH client: command, configuration and host keys of the bastion. */
export function SshClient({ username }: { readonly username: string }) {
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
