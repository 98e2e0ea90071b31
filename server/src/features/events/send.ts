import type { AddressPolicy } from '../../platform/address-policy.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { SentEvent } from './message.ts';
import { DeliveryError, PATIENCE } from './reach.ts';
import type { ReceiverRow } from './store.ts';

export interface SenderOptions {
  readonly vault: Vault;
  readonly policy: AddressPolicy;
  /** Whether receivers without encryption are allowed at this moment. */
  readonly allowsPlain: () => boolean;
  readonly stopping: AbortSignal;
}

/** Whether what is sent to a receiver can be read on the way. */
export const isPlain = ({
  type,
  transport,
  url,
}: Pick<ReceiverRow, 'type' | 'transport' | 'url'>): boolean =>
  type === 'syslog' ? transport !== 'tls' : !/^https:/i.test(url);

/** Sends events to a receiver in their order; they are taken when it returns. */
export type Send = (receiver: ReceiverRow, events: readonly SentEvent[]) => Promise<void>;

/** What sends to receivers of every type. */
export function createSender({ vault, policy, allowsPlain, stopping }: SenderOptions): Send {
  return async (receiver, events) => {
    if (isPlain(receiver) && !allowsPlain())
      throw new DeliveryError('it is not encrypted, and the setting does not allow that');
    const signal = AbortSignal.any([AbortSignal.timeout(PATIENCE), stopping]);
    // Read at the first use: most installations have no receivers.
    if (receiver.type === 'syslog') {
      const { sendSyslog } = await import('./syslog.ts');
      return sendSyslog(receiver, events, policy, signal);
    }
    const { sendWebhook } = await import('./webhook.ts');
    return sendWebhook(
      receiver,
      receiver.secret ? vault.open(receiver.secret, `event_receiver.secret.${receiver.id}`) : '',
      events,
      policy,
      signal,
    );
  };
}
