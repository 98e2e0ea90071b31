import {
  Alert,
  Anchor,
  Button,
  Divider,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { SignInAnswer } from '@sallyport/contract';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { ApiError } from '../kit/api.ts';
import { common, t } from '../kit/i18n/index.ts';
import {
  IconAlertTriangle,
  IconExternalLink,
  IconFingerprint,
  IconLock,
  IconUser,
} from '../kit/icons.ts';
import { failureText } from '../kit/identity/failure.ts';
import { canUsePasskeys, provePasskey } from '../kit/identity/passkey/passkey.ts';
import { SignInNotice } from '../kit/page/SignInNotice.tsx';
import { safeNext } from './flow.ts';
import { StepHead } from './SignInFrame.tsx';
import { signInApi } from './sign-in-api.ts';
import { useBrand, usePublicSettings } from './usePublicSettings.ts';
import { words } from './words.ts';

interface ProviderButtonProps {
  /** The kind of provider as named in the settings. */
  readonly kind: string;
  readonly label: string;
  readonly next: string | undefined;
}

/** Starts a sign-in at an identity provider. */
function ProviderButton({ kind, label, next }: ProviderButtonProps) {
  const query = next ? `?next=${encodeURIComponent(next)}` : '';
  const href = `/core/auth/${kind.toLowerCase()}/login/${query}`;
  return (
    <Button
      component="a"
      href={href}
      variant="default"
      size="md"
      fullWidth
      leftSection={<IconExternalLink size={18} />}
    >
      {label}
    </Button>
  );
}

/** Tracks Caps Lock by the last key event of a field. */
function useCapsLock() {
  const [on, setOn] = useState(false);
  const read = (event: KeyboardEvent) => setOn(event.getModifierState('CapsLock'));
  return { on, handlers: { onKeyDown: read, onKeyUp: read, onBlur: () => setOn(false) } };
}

const PROVIDERS = ['OPENID', 'SAML', 'CAS'] as const;

interface Refusal {
  readonly title: string;
  readonly message: string;
}

/** Codes of a locked account and of a locked address. */
const LOCKS: ReadonlySet<string> = new Set(['block_login', 'block_address']);

function refusalOf(error: unknown): Refusal {
  const isLocked = error instanceof ApiError && LOCKS.has(error.code);
  return { title: t(isLocked ? words.locked : words.refused), message: failureText(error) };
}

function RefusalAlert({ title, message }: Refusal) {
  const Icon = title === t(words.locked) ? IconLock : IconAlertTriangle;
  return (
    <Alert color="red" icon={<Icon size={18} />} title={title} role="alert">
      {message}
    </Alert>
  );
}

interface PasswordFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isMissing: boolean;
}

/** The password; warns while Caps Lock is on. */
function PasswordField({ value, onChange, isMissing }: PasswordFieldProps) {
  const caps = useCapsLock();
  return (
    <PasswordInput
      label={t(words.password)}
      name="password"
      autoComplete="current-password"
      size="md"
      maxLength={1024}
      leftSection={<IconLock size={18} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      aria-invalid={isMissing}
      visibilityToggleButtonProps={{
        'aria-label': `${t(words.showPassword)} / ${t(words.hidePassword)}`,
        tabIndex: 0,
      }}
      error={isMissing ? t(common.required) : undefined}
      description={caps.on ? t(words.capsLock) : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...caps.handlers}
    />
  );
}

/** The way to a new password: a mail, or the administrator if the server sends none. */
function ForgottenPassword({ byMail }: { readonly byMail: boolean | undefined }) {
  return byMail === false ? (
    <Text fz="sm" ta="center" c="dimmed">
      {t(words.askAdministrator)}
    </Text>
  ) : (
    <Anchor href="/core/auth/password/forgot/" fz="sm" ta="center">
      {t(words.forgotten)}
    </Anchor>
  );
}

interface OtherWaysProps {
  readonly settings: ReturnType<typeof usePublicSettings>;
  readonly next: string | undefined;
  readonly isLoading: boolean;
  readonly isDisabled: boolean;
  readonly onPasskey: () => void;
}

/** Sign-ins without a password: identity providers, and a passkey. */
function OtherWays({ settings, next, isLoading, isDisabled, onPasskey }: OtherWaysProps) {
  const providers = PROVIDERS.filter((kind) => settings?.[`AUTH_${kind}_BUTTON`]);
  const hasPasskeys = canUsePasskeys();
  return (
    <>
      {(hasPasskeys || providers[0]) && <Divider label={t(words.or)} />}
      {providers.map((kind) => (
        <ProviderButton
          key={kind}
          kind={kind}
          label={t(words.withProvider, { name: settings?.[`AUTH_${kind}_BUTTON`] ?? '' })}
          next={next}
        />
      ))}
      {hasPasskeys && (
        <Button
          variant="default"
          size="md"
          fullWidth
          leftSection={<IconFingerprint size={18} />}
          loading={isLoading}
          disabled={isDisabled}
          onClick={onPasskey}
        >
          {t(words.withPasskey)}
        </Button>
      )}
    </>
  );
}

interface SignInFormProps {
  /** The reason why the sign-in started again. */
  readonly message?: string;
  /** The user who is already signed in with this browser. */
  readonly signedIn?: string;
  /** The sign-in is complete and the next page is loading. */
  readonly leaving: boolean;
  readonly onAnswer: (answer: SignInAnswer) => void;
}

/** The first step: user name and password, or a passkey alone. */
export function SignInForm({ message, signedIn, leaving, onAnswer }: SignInFormProps) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState(false);
  const [busy, setBusy] = useState<'password' | 'passkey'>();
  const [refusal, setRefusal] = useState<Refusal | undefined>(
    message ? { title: t(words.refused), message } : undefined,
  );
  const { title } = useBrand();
  const settings = usePublicSettings();
  const nextPath = safeNext(new URLSearchParams(location.search).get('next'));

  async function attempt(way: 'password' | 'passkey', run: () => Promise<SignInAnswer>) {
    setRefusal(undefined);
    setBusy(way);
    try {
      onAnswer(await run());
    } catch (error) {
      setRefusal(refusalOf(error));
      setPassword('');
      setMissing(false);
    } finally {
      setBusy(undefined);
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    setMissing(true);
    setRefusal(undefined);
    if (username.trim() && password)
      void attempt('password', () => signInApi.password(username.trim(), password, nextPath));
  }

  const signInWithPasskey = () =>
    void attempt('passkey', async () =>
      signInApi.passkeyAlone(await provePasskey(await signInApi.passkeyAloneOptions()), nextPath),
    );

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <StepHead title={t(words.welcome, { product: title })} hint={t(words.hint)} />
        {settings?.SIGN_IN_NOTICE && (
          <SignInNotice label={t(words.notice)} text={settings.SIGN_IN_NOTICE} />
        )}
        {signedIn && !refusal && (
          <Alert color="teal" icon={<IconUser size={18} />} role="status">
            {t(words.signedIn, { name: signedIn })}{' '}
            <Anchor href={nextPath ?? '/ui/'} underline="always" inherit>
              {t(words.goOn)}
            </Anchor>
          </Alert>
        )}
        {refusal && <RefusalAlert {...refusal} />}
        <TextInput
          label={t(words.username)}
          name="username"
          autoComplete="username"
          autoFocus
          size="md"
          maxLength={128}
          leftSection={<IconUser size={18} />}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          error={missing && !username.trim() ? t(common.required) : undefined}
        />
        <PasswordField value={password} onChange={setPassword} isMissing={missing && !password} />
        <Button
          type="submit"
          size="md"
          fullWidth
          loading={leaving || busy === 'password'}
          disabled={busy === 'passkey'}
          mt={4}
        >
          {t(words.submit)}
        </Button>
        <ForgottenPassword byMail={settings?.PASSWORD_BY_MAIL} />
        <OtherWays
          settings={settings}
          next={nextPath}
          isLoading={busy === 'passkey'}
          isDisabled={leaving || busy === 'password'}
          onPasskey={signInWithPasskey}
        />
      </Stack>
    </form>
  );
}
