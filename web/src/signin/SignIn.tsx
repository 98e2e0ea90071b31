import type { SignInAnswer } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { t } from '../kit/i18n/index.ts';
import { lazyComponent } from '../kit/lazy-component.tsx';
import { endsSignIn, type View, viewAfter } from './flow.ts';
import { SignInForm } from './SignInForm.tsx';
import { signInApi } from './sign-in-api.ts';

const Steps = lazyComponent(() => import('./steps/Steps.tsx').then((module) => module.Steps));

/** The whole sign-in. `answered` continues one whose password the server has accepted. */
export function SignIn({ answered }: { readonly answered?: SignInAnswer }) {
  const [view, setView] = useState<View>(() =>
    answered ? viewAfter(answered) : { kind: 'password' },
  );

  useEffect(() => {
    if (answered) return;
    let gone = false;
    // Resume after a change of the language or a reload; without an answer, start again. After a
    // provider's rejection, the address holds the reason, whose text is among hundreds.
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
  }, [answered]);

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

  /** Runs a step. If the sign-in has ended, returns to the first step with the reason. */
  async function take(run: () => Promise<Parameters<typeof viewAfter>[0]>) {
    try {
      setView(viewAfter(await run()));
    } catch (cause) {
      if (!endsSignIn(cause)) throw cause;
      setView({ kind: 'password', message: cause.message });
    }
  }

  return (
    <Steps
      view={view}
      take={take}
      onLeave={(next) => setView({ kind: 'leave', next })}
      onCancel={() => {
        signInApi.cancel().catch(() => undefined);
        setView({ kind: 'password' });
      }}
    />
  );
}
