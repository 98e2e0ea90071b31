import { Alert, Modal, Skeleton } from '@mantine/core';
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
import { useSession } from '../../../base/session.tsx';
import { cacheKey } from '../../../resource/source.ts';
import { OffboardDone } from './OffboardDone.tsx';
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
