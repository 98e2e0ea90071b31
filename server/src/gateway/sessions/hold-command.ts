import { COMMAND_VERDICTS, type CommandVerdict, type Language } from '@sallyport/contract';
import type { HeldCommand, HoldDecision } from '../ports/holds.ts';
import type { GatewayPorts } from '../ports.ts';

/** Waits for the decision on a command. A failure denies it. */
export async function decideHeld(
  held: HeldCommand,
  signal: AbortSignal,
  { holds, log }: Pick<GatewayPorts, 'holds' | 'log'>,
): Promise<HoldDecision> {
  const none: HoldDecision = { verdict: 'expired', by: '' };
  try {
    return (await holds?.decide(held, signal)) ?? none;
  } catch (error) {
    log.error({ session: held.session.id, err: error }, 'a held command could not be reviewed');
    return none;
  }
}

/** The end of a review in words, with the reviewer. */
export function sayDecision(
  { verdict, by }: { readonly verdict: CommandVerdict; readonly by: string },
  language: Language,
): string {
  const label = COMMAND_VERDICTS.find(({ value }) => value === verdict)?.label[language] ?? '';
  return by === '' ? label : `${label}: ${by}`;
}
