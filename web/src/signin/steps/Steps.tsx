import { Anchor, Stack, Text } from '@mantine/core';
import type { PasswordReason } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import { RecoveryCodes } from '../../kit/identity/RecoveryCodes.tsx';
import { SecondFactorForm } from '../../kit/identity/SecondFactorForm.tsx';
import { words as identity } from '../../kit/identity/words.ts';
import type { View } from '../flow.ts';
import { NewPasswordForm } from '../NewPasswordForm.tsx';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi, type Take } from '../sign-in-api.ts';
import { words as signIn } from '../words.ts';
import { ChallengeStep } from './ChallengeStep.tsx';
import { EnrolStep } from './EnrolStep.tsx';
import { NoticeStep } from './NoticeStep.tsx';
import { ReviewStep } from './ReviewStep.tsx';
import { words } from './words.ts';

/** Replaces a password that expired or that an administrator set. */
function RenewPassword({
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

interface StepsProps {
  readonly view: Extract<View, { kind: 'step' | 'codes' }>;
  readonly take: Take;
  readonly onLeave: (next: string) => void;
  readonly onCancel: () => void;
}

/**
 * The steps after the first: challenge, expired password, second factor, enrollment, notice,
 * review, recovery codes.
 */
export function Steps({ view, take, onLeave, onCancel }: StepsProps) {
  if (view.kind === 'codes') {
    return (
      <Stack gap="lg">
        <StepHead title={t(identity.recoveryTitle)} />
        <RecoveryCodes
          codes={view.codes}
          onward={t(signIn.goOn)}
          onDone={() => onLeave(view.next)}
        />
      </Stack>
    );
  }
  const { pending } = view;
  return (
    <Stack gap="lg">
      {pending.state === 'challenge' && (
        <ChallengeStep key={pending.message} message={pending.message ?? ''} take={take} />
      )}
      {pending.state === 'password_expired' && (
        <RenewPassword take={take} reason={pending.reason} />
      )}
      {pending.state === 'mfa_required' && (
        <>
          <StepHead title={t(words.secondTitle)} hint={t(words.secondHint)} />
          <SecondFactorForm
            size="md"
            factors={pending.factors}
            passkeyOptions={signInApi.passkeyOptions}
            onProve={(proof) => take(() => signInApi.prove(proof))}
          />
        </>
      )}
      {pending.state === 'mfa_unset' && <EnrolStep take={take} />}
      {pending.state === 'notice' && pending.notice && (
        <NoticeStep notice={pending.notice} take={take} />
      )}
      {pending.state === 'login_confirm' && (
        <ReviewStep review={pending.review} take={take} onCancel={onCancel} />
      )}
      <Text fz="sm" c="dimmed" ta="center">
        {t(words.asUser, { name: pending.username })}
        {' · '}
        <Anchor component="button" type="button" fz="sm" underline="always" onClick={onCancel}>
          {t(words.another)}
        </Anchor>
      </Text>
    </Stack>
  );
}
