import { startApp } from '../kit/AppProviders.tsx';
import { t } from '../kit/i18n/index.ts';
import { Door } from './Door.tsx';
import { SignInForm } from './SignInForm.tsx';
import { SignOut } from './SignOut.tsx';
import { words } from './words.ts';

document.title = `${t(words.title)} · Sallyport`;

startApp(<Door>{location.pathname.startsWith('/core/auth/logout') ? <SignOut /> : <SignInForm />}</Door>, { dialogs: 'when needed' });
