import { Group, Stack, Text } from '@mantine/core';
import type { gateway, Row, SiteInstall } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { openDialog } from '../../../kit/dialogs/overlays.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { words } from './words.ts';

const START = 'sudo systemctl enable --now sallyport-site';

/** Creates the install key of a site, and shows once what its machine needs. */
export async function showSite({ id, name }: Row<typeof gateway>): Promise<void> {
  let install: SiteInstall;
  try {
    install = await api.post<SiteInstall>(`assets/gateways/${id}/install-key/`, {});
  } catch {
    // The request layer shows the error.
    return;
  }
  openDialog(
    t(words.siteTitle, { name }),
    () => <Steps {...install} />,
    () => undefined,
    {
      closeOnClickOutside: false,
      size: 'lg',
    },
  );
}

function Steps({ command, unit, date_expired: date }: SiteInstall) {
  return (
    <Stack gap="md">
      <Text fz="sm">{t(words.siteSteps)}</Text>
      <Block label={t(words.siteCommand)} text={command} />
      <Block label={t(words.siteUnit)} text={unit} />
      <Block label={t(words.siteStart)} text={START} />
      <Text fz="sm" c="dimmed">
        {t(words.siteOnce, { date })}
      </Text>
    </Stack>
  );
}

function Block({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <Stack gap={4}>
      <Group justify="space-between" wrap="nowrap">
        <Text fz="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {label}
        </Text>
        <CopyButton text={text} label={label} />
      </Group>
      <Text
        component="pre"
        className="mono"
        fz="xs"
        m={0}
        tabIndex={0}
        aria-label={label}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {text}
      </Text>
    </Stack>
  );
}
