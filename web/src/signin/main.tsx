import type { ReactNode } from 'react';
import { t } from '../kit/i18n/index.ts';
import { lazyComponent } from '../kit/lazy-component.tsx';
import { startPage } from '../kit/page/start-page.tsx';
import { SignIn } from './SignIn.tsx';
import { SignInFrame } from './SignInFrame.tsx';
import { words } from './words.ts';

const Forgotten = lazyComponent(() =>
  import('./password/Forgotten.tsx').then((module) => module.Forgotten),
);
const SignOut = lazyComponent(() => import('./SignOut.tsx').then((module) => module.SignOut));
const ResetPassword = lazyComponent(() =>
  import('./password/ResetPassword.tsx').then((module) => module.ResetPassword),
);

const Welcome = lazyComponent(() =>
  import('./password/Welcome.tsx').then((module) => module.Welcome),
);

function pageOf(path: string): { readonly title: string; readonly page: ReactNode } {
  if (path.startsWith('/core/auth/logout')) return { title: t(words.title), page: <SignOut /> };
  if (path.startsWith('/core/auth/password/forgot'))
    return { title: t(words.forgotTitle), page: <Forgotten /> };
  if (path.startsWith('/core/auth/password/reset'))
    return { title: t(words.resetTitle), page: <ResetPassword /> };
  if (path.startsWith('/core/auth/welcome')) return { title: t(words.invited), page: <Welcome /> };
  return { title: t(words.title), page: <SignIn /> };
}

const { title, page } = pageOf(location.pathname);
document.title = `${title} · Sallyport`;

startPage(<SignInFrame>{page}</SignInFrame>);
