import { ERRORS, type ErrorCode, type Language, say } from '@sallyport/contract';
import { certificateSentence, PEER } from '../../platform/certificate-problem.ts';
import type { DirectoryPerson } from '../../platform/directory/connection.ts';
import type { DirectoryError, RefusalReason } from '../../platform/directory/trace.ts';
import { foldedName } from '../identity/index.ts';

/**
 * Codes of the refusals that a user reads and the sign-in log shows. An unknown name and a wrong
 * password have none: the user reads the same sentence for both.
 */
export const REFUSALS = {
  ambiguous: 'directory_ambiguous',
  no_username: 'directory_no_username',
  disabled: 'source_disabled',
  expired: 'source_expired',
  password_expired: 'source_password_expired',
  must_change: 'source_must_change',
  locked: 'source_locked',
  wrong_time: 'source_wrong_time',
  wrong_place: 'source_wrong_place',
  refused: 'source_refused',
} as const satisfies Readonly<
  Record<Exclude<RefusalReason, 'unknown_name' | 'wrong_password'>, ErrorCode>
>;

/** Returns true if a person of the directory has the entered username. */
export const isNamed = (person: DirectoryPerson, username: string): boolean =>
  foldedName(person.username) === foldedName(username);

/** Returns the sentence for a certificate that was refused, or the message as it is. */
export function textOf(message: string, language: Language): string {
  const sentence = certificateSentence(message, PEER.directory);
  return sentence ? say(sentence, language) : message;
}

/** Returns the failure for an administrator: our sentence, then the words of the directory. */
export function inWords({ refusal, message }: DirectoryError, language: Language): string {
  if (!refusal || refusal === 'unknown_name' || refusal === 'wrong_password')
    return textOf(message, language);
  const sentence = say(ERRORS[REFUSALS[refusal]], language);
  return language === 'zh' ? `${sentence}（${message}）` : `${sentence} (${message})`;
}
