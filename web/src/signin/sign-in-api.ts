import type {
  MfaEnrolled,
  PasskeyBegin,
  PasskeyMessage,
  SecondFactorProof,
  SignInAnswer,
  SignInPending,
  TotpBegin,
  WelcomeFacts,
} from '@sallyport/contract';
import { api, SIGN_IN_PATH } from '../kit/api.ts';

/** Forms show errors in place; suppress notifications. */
const QUIET = { quiet: true } as const;

const PASSWORD_PATH = '/core/auth/password/';

const OWN_PASSKEYS = 'authentication/passkeys/';

const step = <T>(path: string, body: object = {}) =>
  api.post<T>(`${SIGN_IN_PATH}${path}`, body, QUIET);

export const signInApi = {
  state: () => api.get<SignInPending>(`${SIGN_IN_PATH}state/`, QUIET),
  password: (username: string, password: string, next: string | undefined) =>
    step<SignInAnswer>('', { username, password, ...(next && { next }) }),
  cancel: () => step<object>('cancel/'),
  confirm: () => step<SignInAnswer>('confirm/'),
  accept: (version: string) => step<SignInAnswer>('notice/', { version }),
  answer: (answer: string) => step<SignInAnswer>('challenge/', { answer }),
  renew: (new_password: string, new_password_again: string) =>
    step<SignInAnswer>('password/', { new_password, new_password_again }),
  prove: (proof: SecondFactorProof) => step<SignInAnswer>('mfa/', proof),
  passkeyOptions: async () => (await step<PasskeyBegin>('mfa/passkey/')).options,
  beginTotp: () => step<TotpBegin>('enrol/totp/begin/'),
  confirmTotp: (code: string) => step<SignInAnswer>('enrol/totp/confirm/', { code }),
  beginPasskey: async () => (await step<PasskeyBegin>('enrol/passkey/begin/')).options,
  finishPasskey: (name: string, response: PasskeyMessage) =>
    step<SignInAnswer>('enrol/passkey/finish/', { name, response }),
  passkeyAloneOptions: async () =>
    (await api.post<PasskeyBegin>('authentication/passkey-login/begin/', {}, QUIET)).options,
  passkeyAlone: (response: PasskeyMessage, next: string | undefined) =>
    api.post<SignInAnswer>(
      'authentication/passkey-login/finish/',
      { response, ...(next && { next }) },
      QUIET,
    ),
  beginOwnPasskey: async (password: string) =>
    (await api.post<PasskeyBegin>(`${OWN_PASSKEYS}begin/`, { password }, QUIET)).options,
  finishOwnPasskey: (name: string, response: PasskeyMessage) =>
    api.post<MfaEnrolled>(`${OWN_PASSKEYS}finish/`, { name, response }, QUIET),
  forgot: (email: string) => api.post<{ msg: string }>(`${PASSWORD_PATH}forgot/`, { email }, QUIET),
  reset: (token: string, new_password: string) =>
    api.post<object>(`${PASSWORD_PATH}reset/`, { token, new_password }, QUIET),
  welcome: (token: string) => api.post<WelcomeFacts>('/core/auth/welcome/', { token }, QUIET),
  join: (token: string, new_password: string) =>
    api.post<object>(`${PASSWORD_PATH}reset/`, { token, new_password, agreed: true }, QUIET),
};

/**
 * Sends a step to the server. An error that ends the sign-in returns to the first step; other
 * errors are thrown.
 */
export type Take = (run: () => Promise<SignInAnswer>) => Promise<void>;
