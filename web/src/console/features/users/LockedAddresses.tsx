import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { LockedAddress } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

const URL = 'users/locked-addresses/';
const KEY = ['locked-addresses'];

/** The addresses that failed sign-ins of several names lock, each with its reset. */
export function LockedAddresses() {
  const client = useQueryClient();
  const { data = [] } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<readonly LockedAddress[]>(URL, { signal, quiet: true }),
  });
  if (data.length === 0) return null;
  const reset = (address: string) =>
    askFirst({
      title: t(words.resetAddress),
      message: t(words.resetAddressQuestion, { address }),
      confirm: t(words.resetAddress),
      success: t(words.addressReset, { address }),
      run: async () => {
        await api.post(`${URL}reset/`, { address }, { quiet: true });
        await client.invalidateQueries({ queryKey: KEY });
      },
    });
  return (
    <Alert color="yellow" title={t(words.lockedAddresses)} mb="md">
      <Stack gap="xs">
        {data.map(({ address, failures, names, date_last }) => (
          <Group key={address} justify="space-between">
            <Text fz="sm">
              {t(words.lockedAddress, { address, failures, names, date: formatDate(date_last) })}
            </Text>
            <Button
              variant="default"
              size="xs"
              aria-label={`${t(words.resetAddress)}: ${address}`}
              onClick={() => reset(address)}
            >
              {t(words.resetAddress)}
            </Button>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}
