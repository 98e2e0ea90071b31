import { Alert, Button, Group, Text } from '@mantine/core';
import { allows, Permission } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { SETTINGS_URL } from '../../base/addresses.ts';
import { useSession } from '../../base/session.tsx';
import { isLoopback, siteElsewhere } from './site.ts';
import { words } from './words.ts';

/** A warning about the address of links, with an action. */
export function SiteAlert({
  text,
  onUse,
}: {
  readonly text: string;
  readonly onUse?: (() => void) | undefined;
}) {
  return (
    <Alert color="yellow" mb="md" maw={860}>
      <Group justify="space-between" gap="sm">
        <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        {onUse && (
          <Button variant="default" size="xs" onClick={onUse}>
            {t(words.useThisSite, { here: location.origin })}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/**
 * Warns before a link is mailed or copied whose receiver cannot open it: mailed links begin with
 * another address than the page, or copied ones (the address of the page) open on this machine
 * only. Administrators of the installation can set the address of mails here.
 */
export function SiteNotice({ isMailed }: { readonly isMailed: boolean }) {
  const client = useQueryClient();
  const { settings, role } = useSession();
  const [isSet, setSet] = useState(false);
  const here = location.origin;
  if (!isMailed) return isLoopback(here) && <SiteAlert text={t(words.onlyHere, { here })} />;
  const site = siteElsewhere(settings.MAIL_SITE, here);
  if (site === undefined || isSet) return null;
  const use = () =>
    askFirst({
      title: t(words.useThisSite, { here }),
      message: t(words.useThisQuestion, { here }),
      confirm: t(common.confirm),
      success: t(common.updateSuccess),
      run: async () => {
        await api.patch(SETTINGS_URL, { basic: { SITE_URL: here } }, { quiet: true });
        setSet(true);
        await client.invalidateQueries({ queryKey: ['settings'] });
      },
    });
  return (
    <SiteAlert
      text={t(words.siteDiffers, { site, here })}
      onUse={allows(role.current, Permission.SUPER | Permission.ADMIN) ? use : undefined}
    />
  );
}
