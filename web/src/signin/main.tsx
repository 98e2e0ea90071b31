import './components.css';
import { lazy, type ReactNode, Suspense } from 'react';
import { t } from '../kit/i18n/index.ts';
import { startPage } from '../kit/start-page.tsx';
import { SignIn } from './SignIn.tsx';
import { SignInFrame } from './SignInFrame.tsx';
import { SignOut } from './SignOut.tsx';
import { words } from './words.ts';

// Seldom needed, so the sign-in page itself does not carry them.
const Forgotten = lazy(() => import('./Forgotten.tsx').then((module) => ({ default: module.Forgotten })));
const ResetPassword = lazy(() => import('./ResetPassword.tsx').then((module) => ({ default: module.ResetPassword })));

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
