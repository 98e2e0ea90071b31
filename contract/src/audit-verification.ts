/**
 * Days after which a verification of the audit logs is stale; the server verifies them every night.
 */
export const VERIFICATION_DAYS = 3;

/** GET audits/verification/: the result of the last verification of the audit logs. */
export interface AuditVerification {
  /** Null if the logs were never verified. */
  readonly date: string | null;
  readonly intact: boolean;
  /** Name of the requester; empty if the server started it. */
  readonly by: string;
}
