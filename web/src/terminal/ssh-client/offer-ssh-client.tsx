import { Anchor, Text } from '@mantine/core';
import type { GrantedSystemUser, Profile, SshAccess } from '@sallyport/contract';
import { ApiError, api } from '../../kit/api.ts';
import { copyText } from '../../kit/clipboard.ts';
import { ask } from '../../kit/dialogs/confirm.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { sshCommand, sshLink } from '../../kit/ssh-access.ts';
import { usableAccounts } from '../tabs/accounts.ts';
import styles from './SshClient.module.css';
import { words } from './words.ts';

/**
 * Shows the command and the link with which SSH clients reach an asset: with one account, or with
 * the usual one.
 */
export async function offerSshClient(
  asset: { readonly id: string; readonly hostname: string },
  account?: string,
): Promise<void> {
  try {
    const [access, granted, { username }] = await Promise.all([
      api.get<SshAccess>('terminal/ssh/', { quiet: true }),
      api.get<readonly GrantedSystemUser[]>(
        `perms/users/assets/${encodeURIComponent(asset.id)}/system-users/`,
        { quiet: true },
      ),
      api.get<Profile>('users/profile/', { quiet: true }),
    ]);
    const overSsh = usableAccounts(granted).filter(({ protocol }) => protocol === 'ssh');
    const chosen = account === undefined ? overSsh[0] : overSsh.find(({ id }) => id === account);
    if (access.port === 0 || !chosen) {
      toast.info(t(access.port === 0 ? words.off : words.none));
      return;
    }
    const target = { asset, account: chosen };
    const command = sshCommand(access, username, target);
    ask({
      title: t(words.title),
      message: (
        <>
          <pre className={styles.command}>{command}</pre>
          <Anchor size="sm" href={sshLink(access, username, target)} target="_blank" rel="noopener">
            {t(words.link, { name: asset.hostname })}
          </Anchor>
          <Text size="xs" c="dimmed">
            {t(words.linkHint)}
          </Text>
        </>
      ),
      confirm: t(words.copy),
      onConfirm: () =>
        void copyText(command).then((copied) =>
          copied
            ? toast.success(t(words.copied, { command }))
            : toast.error(t(words.notCopied, { command })),
        ),
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast.error(error.message);
  }
}
