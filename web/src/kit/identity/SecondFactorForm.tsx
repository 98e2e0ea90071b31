import { Alert, Button, Stack, TextInput } from '@mantine/core';
import type { PasskeyMessage, SecondFactor, SecondFactorProof } from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api.ts';
import { common, t } from '../i18n/index.ts';
import { IconAlertTriangle, IconFingerprint } from '../icons.ts';
import { failureText } from './failure.ts';
import { canUsePasskeys, passkeyObstacle, provePasskey } from './passkey/passkey.ts';
import { words as passkey } from './passkey/words.ts';
import { words } from './words.ts';

/**
 * An error announced at once by screen readers: a sentence of the form, or the error of a request.
 */
export function FailureAlert({ cause }: { readonly cause: unknown }) {
  if (cause === undefined || cause === '') return null;
  const isWrongCode = cause instanceof ApiError && cause.code === 'mfa_failed';
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} />}
      role="alert"
      {...(isWrongCode && { title: t(words.mfaError) })}
    >
      {typeof cause === 'string' ? cause : failureText(cause)}
    </Alert>
  );
}

/**
 * Extracts the digits of a typed or pasted code, including `123 456` and full-width digits; at most
 * six.
 */
export function digitsOf(text: string): string {
  return text.normalize('NFKC').replaceAll(/\D/g, '').slice(0, 6);
}

interface SecondFactorFormProps {
  readonly factors: readonly SecondFactor[];
  readonly passkeyOptions: () => Promise<PasskeyMessage>;
  /** Sends the proof; errors are shown. */
  readonly onProve: (proof: SecondFactorProof) => Promise<unknown>;
  readonly size?: 'sm' | 'md';
}

type Way = 'totp' | 'recovery' | 'passkey';

interface CodeFieldProps {
  readonly way: 'totp' | 'recovery';
  readonly code: string;
  readonly onCode: (code: string) => void;
  readonly size: 'sm' | 'md';
}

function CodeField({ way, code, onCode, size }: CodeFieldProps) {
  const shared = { autoFocus: true, 'data-autofocus': true, size, value: code };
  return way === 'totp' ? (
    <TextInput
      {...shared}
      label={t(words.code)}
      description={t(words.codeHint)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={12}
      onChange={(event) => onCode(digitsOf(event.currentTarget.value))}
    />
  ) : (
    <TextInput
      {...shared}
      label={t(words.recoveryCode)}
      autoComplete="off"
      spellCheck={false}
      maxLength={64}
      onChange={(event) => onCode(event.currentTarget.value)}
    />
  );
}

/** Asks for a second factor: one method at a time, with links to the others. */
export function SecondFactorForm({
  factors,
  passkeyOptions,
  onProve,
  size = 'sm',
}: SecondFactorFormProps) {
  const ways: Way[] = (['totp', 'passkey', 'recovery'] as const).filter(
    (way) => factors.includes(way) && (way !== 'passkey' || canUsePasskeys()),
  );
  const [way, setWay] = useState<Way | undefined>(ways[0]);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  function choose(chosen: Way) {
    setWay(chosen);
    setCode('');
    setProblem(undefined);
  }

  async function send(proof: () => Promise<SecondFactorProof> | SecondFactorProof) {
    setBusy(true);
    setProblem(undefined);
    try {
      await onProve(await proof());
    } catch (cause) {
      setProblem(cause);
      setCode('');
    } finally {
      setBusy(false);
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (way === 'passkey')
      void send(async () => ({
        type: 'passkey',
        response: await provePasskey(await passkeyOptions()),
      }));
    else if (way === 'totp' && code.length !== 6) setProblem(t(words.codeShape));
    else if (code.trim() === '') setProblem(t(common.required));
    else if (way) void send(() => ({ type: way, code: code.trim() }));
  }

  const names = { totp: words.useTotp, recovery: words.useRecovery, passkey: words.usePasskey };
  if (!way) return <Alert color="yellow">{t(passkey[passkeyObstacle() ?? 'unsupported'])}</Alert>;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FailureAlert cause={problem} />
        {way !== 'passkey' && (
          <CodeField key={way} way={way} code={code} onCode={setCode} size={size} />
        )}
        <Button
          type="submit"
          size={size}
          fullWidth
          loading={busy}
          {...(way === 'passkey' && { leftSection: <IconFingerprint size={18} /> })}
        >
          {t(way === 'passkey' ? words.usePasskey : words.verify)}
        </Button>
        {ways
          .filter((other) => other !== way)
          .map((other) => (
            <Button
              key={other}
              variant="subtle"
              size="compact-sm"
              disabled={busy}
              onClick={() => choose(other)}
            >
              {t(names[other])}
            </Button>
          ))}
      </Stack>
    </form>
  );
}
