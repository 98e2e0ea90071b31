/** Interventions of administrators in a live session, over HTTP. */

/** Maximum characters of a message to a user, or of the reason of a lock. */
export const INTERVENTION_MAX = 300;

/** `lock`: input stops. `unlock`: it passes again. `message`: the user reads a text. */
export const INTERVENTIONS = [
  { value: 'lock', label: { en: 'Lock', zh: '锁定' } },
  { value: 'unlock', label: { en: 'Unlock', zh: '解除锁定' } },
  { value: 'message', label: { en: 'Message', zh: '消息' } },
] as const;

export type InterventionAction = (typeof INTERVENTIONS)[number]['value'];

/** POST terminal/sessions/{id}/interventions/ */
export interface SessionIntervention {
  readonly action: InterventionAction;
  /** The reason of a lock, or the message. */
  readonly text: string;
}

/** The lock of the session after the intervention. */
export interface SessionLock {
  /** Null while input passes. */
  readonly locked_by: string | null;
  readonly lock_reason: string;
}
