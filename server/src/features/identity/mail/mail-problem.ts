import { certificateSentence, PEER } from '../../../platform/certificate-problem.ts';
import { Rejected } from '../../../platform/errors.ts';

/** Returns the reason of a failed job of mails. */
export const mailProblem = (error: unknown): Rejected =>
  new Rejected('mail_failed', {
    reason:
      certificateSentence(error, PEER.mail) ??
      (error instanceof Error ? error.message.slice(0, 200) : 'internal'),
  });
