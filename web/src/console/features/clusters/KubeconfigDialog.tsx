import { Anchor, Button, Group, Modal, Select, Skeleton, Stack, Text } from '@mantine/core';
import { type GrantedAppSystemUser, type Kubeconfig, posixWord } from '@sallyport/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { FreshFactor } from '../mfa/index.ts';
import { words } from './words.ts';

interface DialogProps {
  readonly app: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Creates a short-lived kubeconfig for a cluster and offers it as a file. */
export function KubeconfigDialog({ app, onClose }: DialogProps) {
  const url = `perms/users/clusters/${app.id}/system-users/`;
  const granted = useQuery({
    queryKey: ['granted-system-users', url],
    queryFn: ({ signal }) => api.get<readonly GrantedAppSystemUser[]>(url, { signal }),
  });
  const [chosen, setChosen] = useState<string>();
  const usable = granted.data ?? [];
  const systemUser = chosen ?? usable[0]?.id;
  const making = useMutation({
    mutationFn: () =>
      api.post<Kubeconfig>(
        'perms/users/clusters/kubeconfig/',
        { cluster: app.id, system_user: systemUser },
        { quiet: true },
      ),
    gcTime: 0,
  });
  const needsFactor =
    making.error instanceof ApiError && making.error.code === 'mfa_verify_required';
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.kubeconfigFor, { name: app.name })}
      size="lg"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {needsFactor ? (
        <FreshFactor onProved={() => making.mutateAsync()} />
      ) : making.data ? (
        <Created issued={making.data} name={app.name} />
      ) : granted.isError ? (
        <LoadFailed error={granted.error} onRetry={() => void granted.refetch()} />
      ) : !granted.data ? (
        <Skeleton height={120} />
      ) : (
        <Stack gap="md">
          <Text fz="sm">{t(words.intro)}</Text>
          {usable.length === 0 ? (
            <Text fz="sm">{t(words.none)}</Text>
          ) : (
            <Select
              label={t(words.systemUser)}
              data={usable.map(({ id, name }) => ({ value: id, label: name }))}
              value={systemUser ?? null}
              allowDeselect={false}
              onChange={(id) => setChosen(id ?? undefined)}
            />
          )}
          {making.error && (
            <Text fz="sm" c="var(--mantine-color-error)" role="alert">
              {making.error.message}
            </Text>
          )}
          <Group justify="flex-end">
            <Button
              loading={making.isPending}
              disabled={usable.length === 0}
              onClick={() => making.mutate()}
            >
              {t(words.make)}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

/** The file of a cluster. Browsers replace characters that file names cannot have. */
const fileOf = (name: string) => `${name.replace(/[\\/:*?"<>|\s]+/g, '-')}.kubeconfig`;

function Created({ issued, name }: { readonly issued: Kubeconfig; readonly name: string }) {
  const file = fileOf(name);
  return (
    <Stack gap="md">
      <Text fz="sm" role="status">
        {t(words.once, { until: issued.date_expired })}
      </Text>
      <Anchor
        fz="sm"
        href={`data:application/yaml,${encodeURIComponent(issued.kubeconfig)}`}
        download={file}
      >
        {t(words.download)}
      </Anchor>
      <div>
        <Text fz="sm" c="dimmed">
          {t(words.use)}
        </Text>
        <Text fz="sm" ff="monospace">
          {`kubectl ${posixWord(`--kubeconfig=${file}`)} get pods`}
        </Text>
      </div>
      {issued.server.startsWith('http:') && (
        <Text fz="sm" c="var(--mantine-color-error)" role="alert">
          {t(words.needsTls)}
        </Text>
      )}
    </Stack>
  );
}
