import { Alert, Button, Group, List, Modal, Skeleton, Stack, Text } from '@mantine/core';
import {
  DEFAULT_ORGANIZATION_ID,
  type OffboardingPlan,
  type OffboardingResult,
  user,
} from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconCircleCheck } from '../../../../kit/icons.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { useSession } from '../../../base/session.tsx';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { cacheKey } from '../../../resource/source.ts';
import { doneLines } from './lines.ts';
import { OffboardForm, type OffboardingWish } from './OffboardForm.tsx';
import { words } from './words.ts';

interface OffboardDialogProps {
  readonly id: string;
  readonly name: string;
  /** `removed`: the user no longer exists in this organization. */
  readonly onClose: (removed: boolean) => void;
}

/** Ends the access of a leaving user: shows consequences and options, then the results. */
export function OffboardDialog({ id, name, onClose }: OffboardDialogProps) {
  const client = useQueryClient();
  const { organization } = useSession();
  const [result, setResult] = useState<OffboardingResult>();
  const path = `users/users/${id}/offboarding/`;
  const plan = useQuery({
    queryKey: ['offboarding', id],
    queryFn: ({ signal }) => api.get<OffboardingPlan>(path, { signal, quiet: true }),
    enabled: result === undefined,
    gcTime: 0,
    retry: false,
  });
  const isHere =
    organization !== undefined &&
    organization.id !== '' &&
    organization.id !== DEFAULT_ORGANIZATION_ID;

  function close() {
    const removed = result?.way === 'remove';
    onClose(removed);
    if (result) void client.invalidateQueries({ queryKey: cacheKey(user) });
  }

  async function submit(wish: OffboardingWish): Promise<string | undefined> {
    try {
      setResult(await api.post<OffboardingResult>(path, wish, { quiet: true }));
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error.fields?.reason?.join(' ') ?? error.message;
    }
  }

  return (
    <Modal
      opened
      onClose={close}
      title={t(words.title, { name })}
      size="lg"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {result ? (
        <OffboardDone result={result} isHere={isHere} onClose={close} />
      ) : plan.data ? (
        <OffboardForm plan={plan.data} isHere={isHere} onClose={close} submit={submit} />
      ) : plan.error ? (
        <Alert color="red" role="alert">
          {plan.error.message}
        </Alert>
      ) : (
        <Skeleton height={360} role="status" aria-label={t(common.loading)} />
      )}
    </Modal>
  );
}

interface OffboardDoneProps {
  readonly result: OffboardingResult;
  readonly isHere: boolean;
  readonly onClose: () => void;
}

/** The results, and the shared accounts whose passwords must change now. */
function OffboardDone({ result: { way, done, accounts }, isHere, onClose }: OffboardDoneProps) {
  const title =
    way === 'disable' ? words.wasDisabled : isHere ? words.wasRemovedHere : words.wasRemoved;
  const lines = doneLines(done);
  return (
    <Stack>
      <Alert color="green" role="status" icon={<IconCircleCheck size={16} />} title={t(title)}>
        {lines.length > 0 && (
          <List size="sm">
            {lines.map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        )}
      </Alert>
      {accounts.length === 0 ? (
        <Text c="dimmed" fz="sm">
          {t(words.noAccounts)}
        </Text>
      ) : (
        <div>
          <Text fw={600}>{t(words.rotate)}</Text>
          <Text c="dimmed" fz="sm" mb="xs">
            {t(words.rotateHint)}
          </Text>
          <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }}>
            {accounts.map(({ id, name, username, protocol, organization, date_last: last }) => (
              <Group key={id} component="li" justify="space-between" gap="xs" mih={28}>
                <Text span fz="sm">
                  {name} ({username}) · {protocol}
                  {organization && ` · ${organization}`}
                  {last && (
                    <Text span c="dimmed" fz="xs">
                      {` · ${t(words.lastUsed)} `}
                      <Moment date={last} />
                    </Text>
                  )}
                </Text>
                {organization === '' && (
                  <PageLink
                    to={pagesOf('system_user').update(id)}
                    fz="sm"
                    aria-label={`${t(words.change)}: ${name}`}
                  >
                    {t(words.change)}
                  </PageLink>
                )}
              </Group>
            ))}
          </Stack>
        </div>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {t(common.close)}
        </Button>
      </Group>
    </Stack>
  );
}
