import { Anchor, Button, Group, Modal, Select, Skeleton, Stack, Text } from '@mantine/core';
import type { DatabasePassword, GrantedSystemUser } from '@sallyport/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { CopyButton } from '../../../../kit/identity/CopyButton.tsx';
import { LoadFailed } from '../../../resource/list/ListStates.tsx';
import { FreshFactor } from '../../mfa/index.ts';
import { commandsFor } from './commands.ts';
import { words } from './words.ts';

interface DialogProps {
  readonly app: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Shows one value with a button that copies it. */
function Fact({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div>
      <Text fz="sm" c="dimmed" mb={4}>
        {label}
      </Text>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Text fz="sm" ff="monospace" style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        <CopyButton text={text} label={label} />
      </Group>
    </div>
  );
}

/** Creates a short-lived password for a database and shows how clients connect with it. */
export function OwnClientDialog({ app, onClose }: DialogProps) {
  const url = `perms/users/database-apps/${app.id}/system-users/`;
  const granted = useQuery({
    queryKey: ['granted-system-users', url],
    queryFn: ({ signal }) => api.get<readonly GrantedSystemUser[]>(url, { signal }),
  });
  const [chosen, setChosen] = useState<string>();
  const usable = granted.data?.filter(({ login_mode }) => login_mode === 'auto') ?? [];
  const systemUser = chosen ?? usable[0]?.id;
  const making = useMutation({
    mutationFn: () =>
      api.post<DatabasePassword>(
        'terminal/databases/passwords/',
        { database_app: app.id, system_user: systemUser },
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
      title={t(words.openFor, { name: app.name })}
      size="lg"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {needsFactor ? (
        <FreshFactor onProved={() => making.mutateAsync()} />
      ) : making.data ? (
        <Shown issued={making.data} />
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

function Shown({ issued }: { readonly issued: DatabasePassword }) {
  const host = issued.host || window.location.hostname.replace(/^\[|\]$/g, '');
  const commands = commandsFor({ ...issued, host });
  return (
    <Stack gap="md">
      <Text fz="sm" role="status">
        {t(words.once, { until: issued.date_expired })} {issued.tls && t(words.tls)}
      </Text>
      <Fact label={t(words.password)} text={issued.password} />
      {commands.length === 0 && <Text fz="sm">{t(words.noCommand)}</Text>}
      {commands.map(({ name, command }) => (
        <Fact key={name} label={t(words.command, { name })} text={command} />
      ))}
      <Fact label={t(words.host)} text={host} />
      <Fact label={t(words.port)} text={String(issued.port)} />
      <Fact label={t(words.username)} text={issued.username} />
      {issued.database && <Fact label={t(words.database)} text={issued.database} />}
      <Fact label={t(words.fingerprint)} text={issued.fingerprint} />
      <Anchor
        fz="sm"
        href={`data:application/x-pem-file,${encodeURIComponent(issued.certificate)}`}
        download="sallyport-sql.pem"
      >
        {t(words.certificate)}
      </Anchor>
    </Stack>
  );
}
