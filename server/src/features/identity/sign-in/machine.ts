/** The step a sign-in is at. In `login_confirm` a reviewer has to agree. */
export type Step =
  | 'password'
  | 'password_expired'
  | 'mfa_unset'
  | 'mfa_required'
  | 'login_confirm'
  | 'in';

/** How a user proved who they are. `external`: at an identity provider. `publickey`: with the SSH key of the profile. */
export type FirstFactor = 'password' | 'passkey' | 'external' | 'publickey';

/** What has been proved so far. */
export interface Progress {
  readonly first: FirstFactor | undefined;
  /** A new password was chosen in place of the expired one. */
  readonly renewed: boolean;
  readonly second: boolean;
  readonly confirmed: boolean;
}

/** What the account and the settings require at this moment; read again at every step. */
export interface Demands {
  readonly passwordExpired: boolean;
  readonly secondFactor: boolean;
  readonly hasFactor: boolean;
  readonly confirmation: boolean;
}

/** Events of a sign-in; each is valid in one step only. */
export type SignInEvent = FirstFactor | 'renewed' | 'second' | 'enrolled' | 'confirmed';

const STEP_OF_EVENT: Readonly<Record<SignInEvent, Step>> = {
  password: 'password',
  passkey: 'password',
  external: 'password',
  publickey: 'password',
  renewed: 'password_expired',
  second: 'mfa_required',
  enrolled: 'mfa_unset',
  confirmed: 'login_confirm',
};

/** Nothing has been proved. */
export const NOTHING: Progress = {
  first: undefined,
  renewed: false,
  second: false,
  confirmed: false,
};

/** The step a sign-in is at: the first requirement that is not yet met. */
export function stepOf(progress: Progress, demands: Demands): Step {
  if (!progress.first) return 'password';
  // An expired password does not matter to a user who did not use it.
  if (progress.first === 'password' && demands.passwordExpired && !progress.renewed)
    return 'password_expired';
  if (demands.secondFactor && !progress.second)
    return demands.hasFactor ? 'mfa_required' : 'mfa_unset';
  if (demands.confirmation && !progress.confirmed) return 'login_confirm';
  return 'in';
}

/** The progress after an event; undefined when the event is not valid in this step. */
export function advance(
  progress: Progress,
  event: SignInEvent,
  demands: Demands,
): Progress | undefined {
  if (stepOf(progress, demands) !== STEP_OF_EVENT[event]) return undefined;
  switch (event) {
    case 'password':
    case 'external':
    case 'publickey':
      return { ...progress, first: event };
    case 'passkey':
      // A passkey with user verification is two factors at once: a device, and a finger or a PIN.
      return { ...progress, first: event, second: true };
    case 'renewed':
      return { ...progress, renewed: true };
    case 'second':
    case 'enrolled':
      return { ...progress, second: true };
    case 'confirmed':
      return { ...progress, confirmed: true };
  }
}
