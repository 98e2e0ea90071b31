import type { AddressPolicy } from '../../platform/address-policy.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { SentEvent } from './message.ts';
import { DELIVERY_TIMEOUT, DeliveryError } from './reach.ts';
import type { ReceiverRow } from './store.ts';
import { sendSyslog } from './syslog.ts';
import { sendWebhook } from './webhook.ts';

export interface SenderOptions {
  readonly vault: Vault;
  readonly policy: AddressPolicy;
  /** Returns true if the setting currently allows receivers without encryption. */
  readonly allowsPlain: () => boolean;
  readonly stopping: AbortSignal;
}

/** Returns true if events travel to the receiver without encryption. */
export const isPlain = ({
  type,
  transport,
  url,
}: Pick<ReceiverRow, 'type' | 'transport' | 'url'>): boolean =>
  type === 'syslog' ? transport !== 'tls' : !/^https:/i.test(url);

/** Sends events to a receiver in order. Resolves when the receiver has accepted them. */
export type Send = (receiver: ReceiverRow, events: readonly SentEvent[]) => Promise<void>;

/** Creates the sender for receivers of every type. */
export function createSender({ vault, policy, allowsPlain, stopping }: SenderOptions): Send {
  return async (receiver, events) => {
    if (isPlain(receiver) && !allowsPlain())
      throw new DeliveryError('it is not encrypted, and the setting does not allow that');
    const signal = AbortSignal.any([AbortSignal.timeout(DELIVERY_TIMEOUT), stopping]);
    if (receiver.type === 'syslog') return sendSyslog(receiver, events, policy, signal);
    const { id, secret } = receiver;
    const key = secret ? vault.open(secret, `event_receiver.secret.${id}`) : '';
    return sendWebhook({ ...receiver, key }, events, policy, signal);
  };
}
