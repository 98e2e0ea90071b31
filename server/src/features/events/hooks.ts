import { X509Certificate } from 'node:crypto';
import { eventReceiver } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { isPlain } from './send.ts';
import { BACKLOG } from './store.ts';

const LEAST_SECRET = 16;

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text) !== undefined;
  } catch {
    return false;
  }
}

/** Returns true for an address without credentials: readers of the receiver would see them. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (
    ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hash === ''
  );
}

/**
 * The hooks of receivers. Each needs its address. Receivers without encryption need the setting.
 */
export const eventReceiverHooks = (allowsPlain: () => boolean) =>
  hooksFor(eventReceiver, {
    columns: {
      backlog: () => BACKLOG,
      date_delivered: () =>
        sql`(select d.date_delivered from event_delivery d where d.receiver = t.id)`,
      problem: () =>
        sql`coalesce((select d.problem from event_delivery d where d.receiver = t.id), '')`,
      dropped: () =>
        sql`coalesce((select d.dropped from event_delivery d where d.receiver = t.id), 0)`,
    },
    beforeSave(values, previous) {
      if (previous && values.type !== undefined && values.type !== previous.type)
        throw invalid('type', 'receiver_type_fixed');
      const after = { ...previous, ...values };
      const type = after.type === 'webhook' ? 'webhook' : 'syslog';
      const url = String(after.url ?? '');
      if (type === 'syslog' && (after.host ?? '') === '') throw invalid('host', 'required');
      if (type === 'webhook') {
        if (url === '') throw invalid('url', 'required');
        if (!isAddress(url)) throw invalid('url', 'not_url');
        if (!previous && !values.secret) throw invalid('secret', 'required');
        if (values.secret && String(values.secret).length < LEAST_SECRET)
          throw invalid('secret', 'receiver_secret_short');
      }
      const transport =
        after.transport === 'tcp' || after.transport === 'udp' ? after.transport : 'tls';
      if (isPlain({ type, transport, url }) && !allowsPlain())
        throw invalid(type === 'syslog' ? 'transport' : 'url', 'receiver_plain');
      if (values.ca_certificate && !isCertificate(String(values.ca_certificate)))
        throw invalid('ca_certificate', 'not_certificate');
    },
  });
