/**
 * Steps of a sign-in. In `notice` the user accepts a text, in `login_confirm` a reviewer has to
 * agree.
 */
export type Step =
  | 'password'
  | 'password_expired'
  | 'mfa_unset'
  | 'mfa_required'
  | 'notice'
  | 'login_confirm'
  | 'in';

/**
 * First factors. `external`: sign-in at an identity provider. `publickey`: the SSH key of the
 * profile.
 */
export type FirstFactor = 'password' | 'passkey' | 'external' | 'publickey';

/** Completed parts of a sign-in. */
export interface Progress {
  readonly first: FirstFactor | undefined;
  /** True if a new password replaced the expired one. */
  readonly renewed: boolean;
  readonly second: boolean;
  /** True if the user accepted the text in this step; later steps no longer demand it. */
  readonly accepted: boolean;
  readonly confirmed: boolean;
}

/** Current requirements of the account and the settings; read again at every step. */
export interface Demands {
  readonly passwordExpired: boolean;
  readonly secondFactor: boolean;
  readonly hasFactor: boolean;
  /** True if the account has not accepted the text before sign-in. */
  readonly acceptance: boolean;
  readonly confirmation: boolean;
}

/** Events of a sign-in; each is valid in one step only. */
export type SignInEvent =
  | FirstFactor
  | 'renewed'
  | 'second'
  | 'enrolled'
  | 'accepted'
  | 'confirmed';

const STEP_OF_EVENT: Readonly<Record<SignInEvent, Step>> = {
  password: 'password',
  passkey: 'password',
  external: 'password',
  publickey: 'password',
  renewed: 'password_expired',
  second: 'mfa_required',
  enrolled: 'mfa_unset',
  accepted: 'notice',
  confirmed: 'login_confirm',
};

export const NOTHING: Progress = {
  first: undefined,
  renewed: false,
  second: false,
  accepted: false,
  confirmed: false,
};

/** Returns the current step: the first requirement that is not met. */
export function stepOf(progress: Progress, demands: Demands): Step {
  if (!progress.first) return 'password';
  // An expired password does not matter to a user who did not use it.
  if (progress.first === 'password' && demands.passwordExpired && !progress.renewed)
    return 'password_expired';
  if (demands.secondFactor && !progress.second)
    return demands.hasFactor ? 'mfa_required' : 'mfa_unset';
  if (demands.acceptance && !progress.accepted) return 'notice';
  if (demands.confirmation && !progress.confirmed) return 'login_confirm';
  return 'in';
}

/** Returns the progress after an event; undefined if the event is not valid in this step. */
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
      // A passkey with user verification counts as two factors: a device, and a fingerprint or PIN.
      return { ...progress, first: event, second: true };
    case 'renewed':
      return { ...progress, renewed: true };
    case 'second':
    case 'enrolled':
      return { ...progress, second: true };
    case 'accepted':
      return { ...progress, accepted: true };
    case 'confirmed':
      return { ...progress, confirmed: true };
  }
}
