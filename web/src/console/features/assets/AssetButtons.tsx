import { Button } from '@mantine/core';
import { allows, assetPermission, type GrantedSystemUser, Permission } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck, IconTerminal2 } from '../../../kit/icons.ts';
import { openWindow, terminalAddress } from '../../base/addresses.ts';
import { useGoButton } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { usePages } from '../../resource/usePages.ts';
import { byVerdict } from '../../resource/verdict.ts';
import { words } from './words.ts';

/** What can be done with an asset: connect to it where this user has a permission, and grant it to others. */
export function AssetButtons({ id }: { readonly id: string }) {
  const goButton = useGoButton();
  const { role } = useSession();
  const { create } = usePages(assetPermission.name);
  const mayConnect = allows(role.permissions, Permission.USE);
  const { data: accounts } = useQuery({
    queryKey: ['granted-system-users', id],
    queryFn: ({ signal }) => api.get<readonly GrantedSystemUser[]>(`perms/users/assets/${id}/system-users/`, { signal, quiet: true }),
    enabled: mayConnect,
    retry: false,
  });
  const verdict = accounts === undefined || accounts.length > 0 || t(words.noPermissionToConnect);
  return (
    <>
      {mayConnect && (
        <Button variant="default" leftSection={<IconTerminal2 size={16} />} {...byVerdict(verdict, () => openWindow(terminalAddress(id)))}>
          {t(words.connect)}
        </Button>
      )}
      {accounts && accounts.length > 1 && (
        <Button variant="default" onClick={() => openWindow(terminalAddress(id, 'choose'))}>
          {t(words.connectAs)}
        </Button>
      )}
      {create && (
        <Button variant="default" leftSection={<IconShieldCheck size={16} />} {...goButton(create, { search: { asset: id } })}>
          {t(words.grantAccess)}
        </Button>
      )}
    </>
  );
}
