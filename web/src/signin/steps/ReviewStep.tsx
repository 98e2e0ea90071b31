import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import type { SignInReview } from '@sallyport/contract';
import { useEffect, useRef } from 'react';
import { headersOf, SIGN_IN_PATH } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../kit/icons.ts';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi, type Take } from '../sign-in-api.ts';
import { words } from './words.ts';

/** Polling interval in milliseconds. */
const LOOK_EVERY = 2_000;

/**
 * Tells the server that the page closes. The server cancels the sign-in unless the page loads
 * again.
 */
function leave(): void {
  const request = {
    method: 'POST',
    keepalive: true,
    headers: headersOf('application/json'),
    body: '{}',
  };
  void fetch(`${SIGN_IN_PATH}leave/`, request).catch(() => undefined);
}

interface ReviewStepProps {
  readonly review: SignInReview | undefined;
  readonly take: Take;
  readonly onCancel: () => void;
}

/**
 * Waits for a reviewer; shows the reviewers and their answers. Leaving the page cancels the
 * sign-in.
 */
export function ReviewStep({ review, take, onCancel }: ReviewStepProps) {
  const refused = review?.state === 'rejected' || review?.state === 'closed';
  const latest = useRef(take);
  latest.current = take;

  useEffect(() => {
    if (refused) return;
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const now = await signInApi.state();
        // Without a review, reviewers are not notified yet. After an answer, `take` shows the next
        // step or the error.
        const waits = now.state === 'login_confirm' && now.review?.state === 'open';
        if (!gone && !waits)
          await latest.current(now.state === 'login_confirm' ? signInApi.confirm : async () => now);
      } catch {
        // The server is unreachable for the moment; poll again.
      }
      if (!gone) timer = setTimeout(() => void look(), LOOK_EVERY);
    };
    void look();
    addEventListener('pagehide', leave);
    return () => {
      gone = true;
      clearTimeout(timer);
      removeEventListener('pagehide', leave);
    };
  }, [refused]);

  const names = review?.reviewers.join(', ') ?? '';
  if (refused) {
    return (
      <>
        <StepHead title={t(words.reviewTitle)} />
        <Stack gap="md">
          <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
            {t(review.state === 'rejected' ? words.reviewRejected : words.reviewClosed)}
          </Alert>
          <Button size="md" fullWidth onClick={onCancel}>
            {t(words.again)}
          </Button>
        </Stack>
      </>
    );
  }
  return (
    <>
      <StepHead title={t(words.reviewTitle)} hint={t(words.reviewHint)} />
      <Group gap="sm" role="status" wrap="nowrap">
        <Loader size="sm" aria-hidden="true" />
        <Text fz="sm">{t(words.reviewWaits, { names })}</Text>
      </Group>
      <Button variant="default" size="md" fullWidth onClick={onCancel}>
        {t(words.giveUp)}
      </Button>
    </>
  );
}
