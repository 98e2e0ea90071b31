import { Button, Stack, Text } from '@mantine/core';
import type { ClusterTest } from '@sallyport/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import detail from '../../resource/detail/Detail.module.css';
import { RemoteSelect } from '../../resource/form/RemoteSelect.tsx';
import { narrowed } from '../../resource/references.ts';
import { words } from './words.ts';

/** Signs in to a cluster with a system user, and says what the account may do. */
export function ClusterTestCard({ id }: { readonly id: string }) {
  const [account, setAccount] = useState<string>();
  const testing = useMutation({
    mutationFn: () =>
      api.post<ClusterTest>(
        `applications/clusters/${id}/test/`,
        { system_user: account },
        { quiet: true },
      ),
  });
  return (
    <Card title={t(words.test)} icon={<IconShieldCheck size={16} />}>
      <Stack className={detail.body} gap="md">
        <RemoteSelect
          reference={narrowed('system_user', { protocol__in: 'kubernetes' })}
          label={t(words.systemUser)}
          description={t(words.testHelp)}
          multiple={false}
          value={account === undefined ? [] : [account]}
          onChange={([id]) => {
            setAccount(id);
            testing.reset();
          }}
        />
        <div>
          <Button
            loading={testing.isPending}
            disabled={account === undefined}
            onClick={() => testing.mutate()}
          >
            {t(words.test)}
          </Button>
        </div>
        {testing.data && (
          <Text fz="sm" role="status">
            {t(testing.data.may_impersonate ? words.works : words.cannotImpersonate, {
              version: testing.data.version,
            })}
          </Text>
        )}
        {testing.error && (
          <Text fz="sm" c="var(--mantine-color-error)" role="alert">
            {testing.error.message}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
