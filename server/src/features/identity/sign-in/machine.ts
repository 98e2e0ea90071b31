/** Where a sign-in stands. `login_confirm` is the place of a reviewer's consent. */
export type Step = 'password' | 'password_expired' | 'mfa_unset' | 'mfa_required' | 'login_confirm' | 'in';

/** How somebody showed who they are. `external`: another service answered for them. */
export type FirstFactor = 'password' | 'passkey' | 'external';

/** What has been proved so far. */
export interface Progress {
  readonly first: FirstFactor | undefined;
  /** A new password stands ready in place of the expired one. */
  readonly renewed: boolean;
  readonly second: boolean;
  readonly confirmed: boolean;
}

/** What the account and the settings ask for at this moment; asked again at every step. */
export interface Demands {
  readonly passwordExpired: boolean;
  readonly secondFactor: boolean;
  readonly hasFactor: boolean;
  readonly confirmation: boolean;
}

/** What can happen to a sign-in; each is good in one step only. */
export type Happening = FirstFactor | 'renewed' | 'second' | 'enrolled' | 'confirmed';

const GOOD_IN: Readonly<Record<Happening, Step>> = {
  password: 'password',
  passkey: 'password',
  external: 'password',
  renewed: 'password_expired',
  second: 'mfa_required',
  enrolled: 'mfa_unset',
  confirmed: 'login_confirm',
};

/** Nothing has been proved. */
export const NOTHING: Progress = { first: undefined, renewed: false, second: false, confirmed: false };

/** The step a sign-in is at: the first thing that is asked for and not yet proved. */
export function stepOf(progress: Progress, demands: Demands): Step {
  if (!progress.first) return 'password';
  // Whoever did not use the password is not held up by its age.
  if (progress.first === 'password' && demands.passwordExpired && !progress.renewed) return 'password_expired';
  if (demands.secondFactor && !progress.second) return demands.hasFactor ? 'mfa_required' : 'mfa_unset';
  if (demands.confirmation && !progress.confirmed) return 'login_confirm';
  return 'in';
}

/** The progress after something happened; undefined when it may not happen in this step. */
export function advance(progress: Progress, happening: Happening, demands: Demands): Progress | undefined {
  if (stepOf(progress, demands) !== GOOD_IN[happening]) return undefined;
  switch (happening) {
    case 'password':
    case 'external':
      return { ...progress, first: happening };
    case 'passkey':
      // A passkey that verified its person is two factors at once: something one has, and a finger or a PIN.
      return { ...progress, first: happening, second: true };
    case 'renewed':
      return { ...progress, renewed: true };
    case 'second':
    case 'enrolled':
      return { ...progress, second: true };
    case 'confirmed':
      return { ...progress, confirmed: true };
  }
}
