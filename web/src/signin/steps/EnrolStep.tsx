import { Alert, Button, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import type { TotpBegin } from '@sallyport/contract';
import { type FormEvent, type ReactNode, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { IconAlertTriangle, IconDeviceMobile, IconFingerprint } from '../../kit/icons.ts';
import { failureText } from '../../kit/identity/failure.ts';
import { canUsePasskeys, makePasskey } from '../../kit/identity/passkey/passkey.ts';
import { TotpSetup } from '../../kit/identity/TotpSetup.tsx';
import { words as identity } from '../../kit/identity/words.ts';
import styles from '../SignInFrame.module.css';
import { StepHead } from '../SignInFrame.tsx';
import { signInApi, type Take } from '../sign-in-api.ts';
import { words } from './words.ts';

interface ChoiceProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly hint: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
}

function Choice({ icon, title, hint, disabled, onClick }: ChoiceProps) {
  return (
    <UnstyledButton className={styles.choice} onClick={onClick} disabled={disabled}>
      {icon}
      <span>
        <Text component="span" display="block" fw={600}>
          {title}
        </Text>
        <Text component="span" display="block" fz="sm" c="dimmed">
          {hint}
        </Text>
      </span>
    </UnstyledButton>
  );
}

/** The setup of one second factor: an authenticator app that begins, or a passkey that is named. */
function useEnrolment(take: Take) {
  const [begun, setBegun] = useState<TotpBegin>();
  const [naming, setNaming] = useState(false);
  const [name, setName] = useState(t(words.myPasskey));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');

  async function run(work: () => Promise<unknown>) {
    setBusy(true);
    setProblem('');
    try {
      await work();
    } catch (cause) {
      setProblem(failureText(cause));
    } finally {
      setBusy(false);
    }
  }

  function createPasskey(event: FormEvent) {
    event.preventDefault();
    if (!name.trim()) {
      setProblem(t(common.required));
      return;
    }
    void run(async () => {
      const response = await makePasskey(await signInApi.beginPasskey());
      await take(() => signInApi.finishPasskey(name.trim(), response));
    });
  }

  return {
    begun,
    beginTotp: () => void run(async () => setBegun(await signInApi.beginTotp())),
    naming,
    askName: () => setNaming(true),
    name,
    setName,
    createPasskey,
    busy,
    problem,
    back: () => {
      setBegun(undefined);
      setNaming(false);
      setProblem('');
    },
  };
}

interface EnrolmentProps {
  readonly enrolment: ReturnType<typeof useEnrolment>;
}

function ProblemAlert({ enrolment: { problem } }: EnrolmentProps) {
  return (
    problem && (
      <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
        {problem}
      </Alert>
    )
  );
}

function BackButton({ enrolment: { busy, back } }: EnrolmentProps) {
  return (
    <Button variant="subtle" color="gray" disabled={busy} onClick={back}>
      {t(words.back)}
    </Button>
  );
}

function PasskeyForm({ enrolment }: EnrolmentProps) {
  const { name, setName, busy, createPasskey } = enrolment;
  return (
    <form onSubmit={createPasskey} noValidate>
      <Stack gap="md">
        <ProblemAlert enrolment={enrolment} />
        <TextInput
          label={t(identity.passkeyName)}
          description={t(identity.passkeyNameHint)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          size="md"
          maxLength={64}
          autoFocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          type="submit"
          size="md"
          fullWidth
          loading={busy}
          leftSection={<IconFingerprint size={18} />}
        >
          {t(words.createPasskey)}
        </Button>
      </Stack>
    </form>
  );
}

/** Sets up a second factor during the sign-in, if the account must have one. */
export function EnrolStep({ take }: { readonly take: Take }) {
  const enrolment = useEnrolment(take);
  const { begun, naming, busy } = enrolment;
  if (begun) {
    return (
      <>
        <StepHead title={t(words.enrolTotp)} />
        <TotpSetup begun={begun} onConfirm={(code) => take(() => signInApi.confirmTotp(code))} />
        <BackButton enrolment={enrolment} />
      </>
    );
  }
  if (naming) {
    return (
      <>
        <StepHead title={t(words.enrolPasskey)} hint={t(words.enrolPasskeyHint)} />
        <PasskeyForm enrolment={enrolment} />
        <BackButton enrolment={enrolment} />
      </>
    );
  }
  return (
    <>
      <StepHead title={t(words.enrolTitle)} hint={t(words.enrolHint)} />
      <ProblemAlert enrolment={enrolment} />
      <Stack gap="sm">
        <Choice
          icon={<IconDeviceMobile size={24} />}
          title={t(words.enrolTotp)}
          hint={t(words.enrolTotpHint)}
          disabled={busy}
          onClick={enrolment.beginTotp}
        />
        {canUsePasskeys() && (
          <Choice
            icon={<IconFingerprint size={24} />}
            title={t(words.enrolPasskey)}
            hint={t(words.enrolPasskeyHint)}
            disabled={busy}
            onClick={enrolment.askName}
          />
        )}
      </Stack>
    </>
  );
}
