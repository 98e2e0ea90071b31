import { t } from '../../kit/i18n/index.ts';
import { NewPasswordForm } from '../NewPasswordForm.tsx';
import { StepHead } from '../StepHead.tsx';
import { signInApi } from '../sign-in-api.ts';
import type { Take } from '../step.ts';
import { words } from './words.ts';

/** A new password in place of the expired one. */
export function RenewPassword({ take }: { readonly take: Take }) {
  return (
    <>
      <StepHead title={t(words.expiredTitle)} hint={t(words.expiredHint)} />
      <NewPasswordForm submit={t(words.changePassword)} onSubmit={(password, again) => take(() => signInApi.renew(password, again))} />
    </>
  );
}
