import { useEffect, useState } from 'react';
import { t } from '../kit/i18n/index.ts';
import { Loading, lazyComponent } from '../kit/lazy-component.tsx';
import { endsSignIn, type View, viewAfter } from './flow.ts';
import { SignInForm } from './SignInForm.tsx';
import { signInApi } from './sign-in-api.ts';

const Steps = lazyComponent(() => import('./steps/Steps.tsx').then((module) => module.Steps));

/** Signing in, from the first step to the last. Most people see only the first, so the others are loaded when they come. */
export function SignIn() {
  const [view, setView] = useState<View>({ kind: 'password' });

  useEffect(() => {
    let gone = false;
    // Who changed the language or reloaded in the middle goes on where they were; without an answer they begin again.
    // A provider's answer leads here with the reason in the address. The texts are loaded for it alone.
    if (new URLSearchParams(location.search).has('refused'))
      void import('./refused.ts').then(({ refusedText }) => {
        const text = refusedText(location.search);
        if (!gone && text) setView({ kind: 'password', message: t(text) });
      });
    signInApi.state().then(
      (pending) => {
        if (!gone)
          setView((now) =>
            pending.state === 'password' && now.kind === 'password'
              ? { ...viewAfter(pending), ...now }
              : viewAfter(pending),
          );
      },
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, []);

  useEffect(() => {
    if (view.kind === 'leave') location.replace(view.next);
  }, [view]);

  if (view.kind === 'password' || view.kind === 'leave') {
    return (
      <SignInForm
        key={(view.kind === 'password' && view.message) || ''}
        {...(view.kind === 'password' && view.message && { message: view.message })}
        {...(view.kind === 'password' && view.signedIn && { signedIn: view.signedIn })}
        leaving={view.kind === 'leave'}
        onAnswer={(answer) => setView(viewAfter(answer))}
      />
    );
  }

  /** Runs a step; when the sign-in is over, the person hears why at its beginning. */
  async function take(run: () => Promise<Parameters<typeof viewAfter>[0]>) {
    try {
      setView(viewAfter(await run()));
    } catch (cause) {
      if (!endsSignIn(cause)) throw cause;
      setView({ kind: 'password', message: cause.message });
    }
  }

  return (
    <Loading>
      <Steps
        view={view}
        take={take}
        onLeave={(next) => setView({ kind: 'leave', next })}
        onCancel={() => {
          signInApi.cancel().catch(() => undefined);
          setView({ kind: 'password' });
        }}
      />
    </Loading>
  );
}
