import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import type { SignedInAnswer, SignInAnswer, WelcomeFacts } from '@sallyport/contract';
import { useCallback, useEffect, useState } from 'react';
import { ApiError, SIGN_IN_PATH } from '../../kit/api.ts';
import { formatDate } from '../../kit/format/format.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { failureText } from '../../kit/identity/failure.ts';
import { canUsePasskeys } from '../../kit/identity/passkey/passkey.ts';
import { NewPasswordForm } from '../NewPasswordForm.tsx';
import { SignIn } from '../SignIn.tsx';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi } from '../sign-in-api.ts';
import { useBrand } from '../usePublicSettings.ts';
import { words as signIn } from '../words.ts';
import { PasskeyOffer } from './PasskeyOffer.tsx';
import { resetToken } from './ResetPassword.tsx';
import styles from './Welcome.module.css';
import { words } from './words.ts';

const isInvalid = (cause: unknown) =>
  cause instanceof ApiError && cause.code === 'reset_link_invalid';

/** A passkey is offered to the person who is signed in. */
interface Offer {
  readonly signedIn: SignedInAnswer;
  readonly password: string;
}

/** The name of the account, what it reaches, and until when. */
function Facts({ facts }: { readonly facts: WelcomeFacts }) {
  const { username, organizations, targets, target_count, date_expired } = facts;
  const names = targets.join(', ');
  const more = target_count - targets.length;
  const reach = more > 0 ? t(words.andMore, { names, count: more }) : names;
  return (
    <dl className={styles.facts}>
      <dt>{t(words.yourUsername)}</dt>
      <dd className="mono">{username}</dd>
      {organizations.length > 0 && (
        <>
          <dt>{t(words.ofOrganizations)}</dt>
          <dd>{organizations.join(', ')}</dd>
        </>
      )}
      <dt>{t(words.youReach)}</dt>
      <dd>{reach || t(words.nothingYet)}</dd>
      <dt>{t(words.accessUntil)}</dt>
      <dd>{date_expired ? formatDate(date_expired) : t(words.noEnd)}</dd>
    </dl>
  );
}

/** The page of an invitation link: facts, password, and the sign-in that follows. */
export function Welcome() {
  const [token] = useState(() => resetToken(location));
  const [facts, setFacts] = useState<WelcomeFacts>();
  const [isBroken, setBroken] = useState(token === '');
  const [problem, setProblem] = useState('');
  const [answer, setAnswer] = useState<SignInAnswer>();
  const [offer, setOffer] = useState<Offer>();
  const { title } = useBrand();

  const load = useCallback(() => {
    if (token === '') return;
    setProblem('');
    signInApi
      .welcome(token)
      .then(setFacts, (cause: unknown) =>
        isInvalid(cause) ? setBroken(true) : setProblem(failureText(cause)),
      );
  }, [token]);
  useEffect(load, [load]);

  if (answer) return <SignIn answered={answer} />;
  if (offer) return <PasskeyOffer {...offer} onDone={setAnswer} />;
  if (isBroken)
    return (
      <Stack gap="lg" role="alert">
        <StepHead title={t(words.linkUsed)} hint={t(words.linkUsedHint)} />
        <Button component="a" href={SIGN_IN_PATH} size="md" fullWidth>
          {t(signIn.submit)}
        </Button>
      </Stack>
    );
  if (problem)
    return (
      <Alert color="red" role="alert">
        <Stack gap="sm" align="flex-start">
          {problem}
          <Button variant="default" onClick={load}>
            {t(common.retry)}
          </Button>
        </Stack>
      </Alert>
    );
  return (
    <Stack gap="lg">
      {facts ? (
        <>
          <StepHead
            title={t(words.welcomeTo, { name: facts.name })}
            hint={t(words.invitedBy, { by: facts.invited_by, product: title })}
          />
          <Facts facts={facts} />
          <Text fz="sm">{t(words.consent)}</Text>
          <NewPasswordForm
            submit={t(words.joinSubmit)}
            username={facts.username}
            onSubmit={async (password) => {
              try {
                await signInApi.join(token, password);
                const next = await signInApi.password(facts.username, password, undefined);
                // Accounts that need a second factor choose it in the steps of the sign-in.
                if ('state' in next || !canUsePasskeys()) setAnswer(next);
                else setOffer({ signedIn: next, password });
              } catch (cause) {
                if (!isInvalid(cause)) throw cause;
                setBroken(true);
              }
            }}
          />
        </>
      ) : (
        <Skeleton height={420} aria-hidden="true" />
      )}
    </Stack>
  );
}
