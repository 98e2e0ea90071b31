import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { asset, type HostKey } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { askFirst } from '../../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconKey } from '../../../../kit/icons.ts';
import { Card } from '../../../resource/detail/Cards.tsx';
import styles from '../../../resource/detail/Detail.module.css';
import { cacheKey, objectUrl } from '../../../resource/source.ts';
import { words } from './words.ts';

/**
 * Shows the pinned host keys of an asset and of the gateways on its route. Administrators can
 * accept a changed key and forget any key.
 */
export function HostKeysCard({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const key = [...cacheKey(asset), 'host-keys', id];
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      api.get<readonly HostKey[]>(`${objectUrl(asset, id)}host-keys/`, { signal }),
  });

  const accept = (hostKey: HostKey, fingerprint: string) =>
    askFirst({
      message: t(words.acceptQuestion, { name: hostKey.name, fingerprint }),
      confirm: t(words.accept),
      danger: true,
      run: async () => {
        await api.post(`assets/host-keys/${hostKey.id}/accept/`, { fingerprint }, { quiet: true });
        await client.invalidateQueries({ queryKey: key });
      },
      success: t(words.accepted),
    });

  const forget = (hostKey: HostKey) =>
    askFirst({
      message: t(words.forgetQuestion, { name: `${hostKey.name} ${hostKey.host}:${hostKey.port}` }),
      confirm: t(words.forget),
      danger: true,
      run: async () => {
        await api.delete(`assets/host-keys/${hostKey.id}/`, { quiet: true });
        await client.invalidateQueries({ queryKey: key });
      },
      success: t(words.forgotten),
    });

  return (
    <Card title={t(words.hostKeys)} icon={<IconKey size={16} />}>
      <Stack className={styles.body} gap="md">
        {query.data?.length === 0 && <Text c="dimmed">{t(words.noHostKeys)}</Text>}
        {query.data?.map((hostKey) => (
          <div key={hostKey.id}>
            <Group gap="xs">
              <Badge variant="light" color={hostKey.hop === 'asset' ? 'teal' : 'blue'}>
                {t(hostKey.hop === 'asset' ? words.hopAsset : words.hopGateway)}
              </Badge>
              <Text fw={600} fz="sm">
                {hostKey.name}
              </Text>
              <Text className="mono" c="dimmed" fz="xs">
                {hostKey.host}:{hostKey.port}
              </Text>
            </Group>
            <Text className="mono" fz="xs" mt={4} style={{ overflowWrap: 'anywhere' }}>
              {hostKey.key_type} {hostKey.fingerprint}
            </Text>
            <Group gap="xs" justify="space-between">
              <Text c="dimmed" fz="xs">
                {t(words.pinned)} {formatDate(hostKey.date_pinned)}
              </Text>
              <Button
                variant="subtle"
                color="red"
                size="compact-xs"
                aria-label={t(words.forgetOf, { name: `${hostKey.host}:${hostKey.port}` })}
                onClick={() => forget(hostKey)}
              >
                {t(words.forget)}
              </Button>
            </Group>
            {hostKey.offered && (
              <Alert color="yellow" mt="xs" icon={<IconAlertTriangle size={16} />} role="alert">
                <Text fz="sm">{t(words.offered, { date: formatDate(hostKey.offered.date) })}</Text>
                <Text className="mono" fz="xs" my={4} style={{ overflowWrap: 'anywhere' }}>
                  {hostKey.offered.key_type} {hostKey.offered.fingerprint}
                </Text>
                <Button
                  size="compact-sm"
                  color="red"
                  onClick={() => accept(hostKey, hostKey.offered?.fingerprint ?? '')}
                >
                  {t(words.accept)}
                </Button>
              </Alert>
            )}
          </div>
        ))}
      </Stack>
    </Card>
  );
}
