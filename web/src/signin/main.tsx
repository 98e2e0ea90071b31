import { lazy, type ReactNode, Suspense } from 'react';
import { t } from '../kit/i18n/index.ts';
import { startPage } from '../kit/start-page.tsx';
import { SignIn } from './SignIn.tsx';
import { SignInFrame } from './SignInFrame.tsx';
import { words } from './words.ts';

// Pages of their own, which the sign-in page does not carry.
const Forgotten = lazy(() => import('./password/Forgotten.tsx').then((module) => ({ default: module.Forgotten })));
const SignOut = lazy(() => import('./SignOut.tsx').then((module) => ({ default: module.SignOut })));
const ResetPassword = lazy(() => import('./password/ResetPassword.tsx').then((module) => ({ default: module.ResetPassword })));

function pageOf(path: string): { readonly title: string; readonly page: ReactNode } {
  if (path.startsWith('/core/auth/logout')) return { title: t(words.title), page: <SignOut /> };
  if (path.startsWith('/core/auth/password/forgot')) return { title: t(words.forgotTitle), page: <Forgotten /> };
  if (path.startsWith('/core/auth/password/reset')) return { title: t(words.resetTitle), page: <ResetPassword /> };
  return { title: t(words.title), page: <SignIn /> };
}

const { title, page } = pageOf(location.pathname);
document.title = `${title} · Sallyport`;

startPage(
  <SignInFrame>
    <Suspense>{page}</Suspense>
  </SignInFrame>,
);
