import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { t } from '../../../kit/i18n/index.ts';
import { SecondFactorForm } from '../../../kit/identity/SecondFactorForm.tsx';
import { PageLink } from '../../base/navigation.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { factorsOf } from './confirming.ts';
import { MFA_KEY, mfaApi } from './mfa-api.ts';
import { words } from './words.ts';

/**
 * Asks for a second factor if the last proof is too old. Users without one see where to set one up.
 */
export function FreshFactor({ onProved }: { readonly onProved: () => unknown }) {
  const client = useQueryClient();
  const state = useQuery({ queryKey: MFA_KEY, queryFn: ({ signal }) => mfaApi.state(signal) });
  if (state.isError) return <LoadFailed error={state.error} onRetry={() => void state.refetch()} />;
  if (!state.data) return <Skeleton height={120} />;
  const factors = factorsOf(state.data);
  if (factors.length === 0) {
    return (
      <Alert color="yellow">
        {t(words.factorMissing)}{' '}
        <PageLink to="/users/profile" search={{ activeTab: 'MFA' }} underline="always">
          {t(words.factorSetUp)}
        </PageLink>
      </Alert>
    );
  }
  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        {t(words.factorNeeded)}
      </Text>
      <SecondFactorForm
        factors={factors}
        passkeyOptions={mfaApi.passkeyOptions}
        onProve={async (proof) => {
          await mfaApi.verify(proof);
          await client.invalidateQueries({ queryKey: MFA_KEY });
          await onProved();
        }}
      />
    </Stack>
  );
}
