import { Button, Group, Modal, Select, Skeleton, Stack, Text } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { FreshFactor } from './FreshFactor.tsx';

interface Account {
  readonly id: string;
  readonly name: string;
}

interface IssueDialogProps<Granted extends Account, Issued> {
  readonly title: string;
  readonly words: Readonly<Record<'intro' | 'none' | 'systemUser' | 'make', LocalText>>;
  /** The list of the granted system users. */
  readonly accounts: string;
  readonly isUsable?: (account: Granted) => boolean;
  readonly issue: (systemUser: string | undefined) => Promise<Issued>;
  readonly render: (issued: Issued) => ReactNode;
  readonly onClose: () => void;
}

/** Creates something short-lived for a system user, and asks for a second factor if needed. */
export function IssueDialog<Granted extends Account, Issued>({
  title,
  words,
  accounts,
  isUsable = () => true,
  issue,
  render,
  onClose,
}: IssueDialogProps<Granted, Issued>) {
  const granted = useQuery({
    queryKey: ['granted-system-users', accounts],
    queryFn: ({ signal }) => api.get<readonly Granted[]>(accounts, { signal }),
  });
  const [chosen, setChosen] = useState<string>();
  const usable = granted.data?.filter(isUsable) ?? [];
  const systemUser = chosen ?? usable[0]?.id;
  const making = useMutation({ mutationFn: () => issue(systemUser), gcTime: 0 });
  const needsFactor =
    making.error instanceof ApiError && making.error.code === 'mfa_verify_required';
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {needsFactor ? (
        <FreshFactor onProved={() => making.mutateAsync()} />
      ) : making.isSuccess ? (
        render(making.data)
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
