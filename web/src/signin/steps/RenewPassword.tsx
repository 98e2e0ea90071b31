import type { PasswordReason } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import { NewPasswordForm } from '../NewPasswordForm.tsx';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi, type Take } from '../sign-in-api.ts';
import { words } from './words.ts';

/** Replaces a password that expired or that an administrator set. */
export function RenewPassword({
  take,
  reason,
}: {
  readonly take: Take;
  readonly reason: PasswordReason | undefined;
}) {
  const assigned = reason === 'assigned';
  return (
    <>
      <StepHead
        title={t(assigned ? words.assignedTitle : words.expiredTitle)}
        hint={t(assigned ? words.assignedHint : words.expiredHint)}
      />
      <NewPasswordForm
        submit={t(words.changePassword)}
        onSubmit={(password, again) => take(() => signInApi.renew(password, again))}
      />
    </>
  );
}
