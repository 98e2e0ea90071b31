import { Anchor, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { ApiError, SIGN_IN_PATH } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { NewPasswordForm } from '../NewPasswordForm.tsx';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi } from '../sign-in-api.ts';
import { words as signIn } from '../words.ts';
import { words } from './words.ts';

/**
 * The token of a reset link: in the fragment, which neither servers nor logs see; older links use
 * the query.
 */
export function resetToken({
  hash,
  search,
}: {
  readonly hash: string;
  readonly search: string;
}): string {
  return (
    new URLSearchParams(hash.replace(/^#/, '')).get('token') ??
    new URLSearchParams(search).get('token') ??
    ''
  );
}

const FORGOT_PATH = '/core/auth/password/forgot/';

/** Sets a new password with the link from a mail. */
export function ResetPassword() {
  const [token] = useState(() => resetToken(location));
  const [isDone, setDone] = useState(false);
  const [broken, setBroken] = useState(token === '' ? t(words.linkBrokenHint) : '');

  if (isDone) {
    return (
      <Stack gap="lg" role="status">
        <StepHead title={t(words.resetDone)} hint={t(words.resetDoneHint)} />
        <Button component="a" href={SIGN_IN_PATH} size="md" fullWidth>
          {t(signIn.submit)}
        </Button>
      </Stack>
    );
  }
  if (broken) {
    return (
      <Stack gap="lg" role="alert">
        <StepHead title={t(words.linkBroken)} hint={broken} />
        <Button component="a" href={FORGOT_PATH} size="md" fullWidth>
          {t(words.askAgain)}
        </Button>
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      <StepHead title={t(signIn.resetTitle)} hint={t(words.resetHint)} />
      <NewPasswordForm
        submit={t(words.resetSubmit)}
        onSubmit={async (password) => {
          try {
            await signInApi.reset(token, password);
            setDone(true);
          } catch (cause) {
            if (!(cause instanceof ApiError && cause.code === 'reset_link_invalid')) throw cause;
            setBroken(cause.message);
          }
        }}
      />
      <Anchor href={SIGN_IN_PATH} ta="center" fz="sm">
        {t(words.backToSignIn)}
      </Anchor>
    </Stack>
  );
}
