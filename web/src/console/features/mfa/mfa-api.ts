import type {
  MfaEnrolled,
  MfaState,
  OtpVerified,
  Passkey,
  PasskeyBegin,
  PasskeyMessage,
  RecoveryCodes,
  SecondFactorProof,
  TotpBegin,
} from '@sallyport/contract';
import { api } from '../../../kit/api.ts';

export const MFA_KEY = ['mfa'];
/** Dialogs show errors in place; suppress notifications. */
const QUIET = { quiet: true } as const;
const BASE = 'authentication/';
const PASSKEYS = `${BASE}passkeys/`;
const withPassword = (password: string | undefined) => (password === undefined ? {} : { password });

/** Requests for the own second factors. */
export const mfaApi = {
  state: (signal: AbortSignal) => api.get<MfaState>(`${BASE}mfa/`, { signal }),
  verify: (proof: SecondFactorProof) => api.post<OtpVerified>(`${BASE}otp/verify/`, proof, QUIET),
  passkeyOptions: async () =>
    (await api.post<PasskeyBegin>(`${BASE}mfa/passkey/begin/`, {}, QUIET)).options,
  beginTotp: (password?: string) =>
    api.post<TotpBegin>(`${BASE}mfa/totp/begin/`, withPassword(password), QUIET),
  confirmTotp: (code: string) => api.post<MfaEnrolled>(`${BASE}mfa/totp/confirm/`, { code }, QUIET),
  removeTotp: () => api.post<object>(`${BASE}mfa/totp/disable/`, {}, QUIET),
  renewCodes: () => api.post<RecoveryCodes>(`${BASE}mfa/recovery-codes/`, {}, QUIET),
  passkeys: (signal: AbortSignal) => api.get<readonly Passkey[]>(PASSKEYS, { signal }),
  beginPasskey: async (password?: string) =>
    (await api.post<PasskeyBegin>(`${PASSKEYS}begin/`, withPassword(password), QUIET)).options,
  finishPasskey: (name: string, response: PasskeyMessage) =>
    api.post<Passkey & MfaEnrolled>(`${PASSKEYS}finish/`, { name, response }, QUIET),
  renamePasskey: (id: string, name: string) =>
    api.patch<Passkey>(`${PASSKEYS}${id}/`, { name }, QUIET),
  removePasskey: (id: string) => api.delete(`${PASSKEYS}${id}/`, QUIET),
};
