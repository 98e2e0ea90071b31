import { Alert, Button } from '@mantine/core';
import type { SignInPending } from '@sallyport/contract';
import { useState } from 'react';
import { ApiError } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../kit/icons.ts';
import { failureText } from '../../kit/identity/failure.ts';
import { SignInNotice } from '../../kit/page/SignInNotice.tsx';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi, type Take } from '../sign-in-api.ts';
import { words as signIn } from '../words.ts';
import { words } from './words.ts';

/** The text before sign-in, which the user accepts. Shows the new text if it has changed. */
export function NoticeStep({
  notice: { text, version },
  take,
}: {
  readonly notice: NonNullable<SignInPending['notice']>;
  readonly take: Take;
}) {
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  async function accept() {
    setBusy(true);
    setProblem('');
    try {
      await take(() => signInApi.accept(version));
    } catch (cause) {
      setProblem(failureText(cause));
      if (cause instanceof ApiError && cause.code === 'notice_changed')
        await take(() => signInApi.state());
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <StepHead title={t(words.noticeTitle)} hint={t(words.noticeHint)} />
      {problem && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
          {problem}
        </Alert>
      )}
      <SignInNotice label={t(signIn.notice)} text={text} />
      <Button size="md" fullWidth loading={busy} onClick={() => void accept()}>
        {t(words.accept)}
      </Button>
    </>
  );
}
