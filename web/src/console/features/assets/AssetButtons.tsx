import { Button } from '@mantine/core';
import { allows, assetPermission, type GrantedSystemUser, Permission } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { copyText } from '../../../kit/clipboard.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { IconCopy, IconFolders, IconShieldCheck, IconTerminal2 } from '../../../kit/icons.ts';
import { type SshTarget, sshCommand, useSshAccess } from '../../../kit/ssh-access.ts';
import { filesAddress, terminalAddress, windowLink } from '../../base/addresses.ts';
import { useGoButton } from '../../base/navigation.tsx';
import { usePages } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { words as baseWords } from '../../base/words.ts';
import { byVerdict } from '../../resource/verdict.ts';
import { words } from './words.ts';

/**
 * Buttons to connect to an asset, for users with a permission, and to grant the asset to others.
 */
export function AssetButtons({ asset }: { readonly asset: SshTarget['asset'] }) {
  const { id } = asset;
  const goButton = useGoButton();
  const { role, profile } = useSession();
  const { create } = usePages(assetPermission.name);
  const mayConnect = allows(role.permissions, Permission.USE);
  const { data: accounts } = useQuery({
    queryKey: ['granted-system-users', id],
    queryFn: ({ signal }) =>
      api.get<readonly GrantedSystemUser[]>(`perms/users/assets/${id}/system-users/`, {
        signal,
        quiet: true,
      }),
    enabled: mayConnect,
    retry: false,
  });
  const overSsh = accounts?.find(({ protocol }) => protocol === 'ssh');
  const { data: ssh } = useSshAccess(overSsh !== undefined);
  const copy = async (command: string) =>
    (await copyText(command))
      ? toast.success(t(words.copied, { command }))
      : toast.error(t(words.notCopied, { command }));
  const verdict = accounts === undefined || accounts.length > 0 || t(words.noPermissionToConnect);
  return (
    <>
      {mayConnect && (
        <Button
          variant="default"
          leftSection={<IconTerminal2 size={16} />}
          {...(verdict === true
            ? windowLink(terminalAddress(id))
            : byVerdict(verdict, () => undefined))}
        >
          {t(words.connect)}
        </Button>
      )}
      {accounts && accounts.length > 1 && (
        <Button variant="default" {...windowLink(terminalAddress(id, 'choose'))}>
          {t(words.connectAs)}
        </Button>
      )}
      {overSsh && (
        <Button
          variant="default"
          leftSection={<IconFolders size={16} />}
          {...windowLink(filesAddress(id))}
        >
          {t(baseWords.fileManager)}
        </Button>
      )}
      {overSsh && ssh && ssh.port !== 0 && (
        <Button
          variant="default"
          leftSection={<IconCopy size={16} />}
          onClick={() => void copy(sshCommand(ssh, profile.username, { asset, account: overSsh }))}
        >
          {t(words.copySshCommand)}
        </Button>
      )}
      {create && (
        <Button
          variant="default"
          leftSection={<IconShieldCheck size={16} />}
          {...goButton(create, { search: { asset: id } })}
        >
          {t(words.grantAccess)}
        </Button>
      )}
    </>
  );
}
