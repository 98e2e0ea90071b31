import { controlledHostKey, isUuid, type ProposedChange, parseBody } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Invalid, notFound } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { acceptHostKey, forgetHostKey, nameOfPin } from '../assets/index.ts';
import type { StoredChange, Values } from './store.ts';

interface Options {
  readonly audit: AuditWriter;
  readonly caller: Caller;
  readonly tx: Tx;
  /** Called with the values before the write. May throw. */
  readonly check: (before: Values) => void;
}

/**
 * Accepts an offered host key, or forgets a pin. Returns the change with both fingerprints.
 * @throws Invalid, NotFound, Conflict
 */
export async function makeHostKeyChange(
  proposed: ProposedChange,
  { audit, caller, tx, check }: Options,
): Promise<StoredChange> {
  const { object = '', action, body } = proposed;
  if (!isUuid(object)) throw notFound();
  if (action === 'delete') {
    const pin = await forgetHostKey(object, { audit, caller, tx });
    const before = { fingerprint: pin.fingerprint };
    check(before);
    return { proposed, object, name: nameOfPin(pin), before, after: null };
  }
  const { values, problems } = parseBody(controlledHostKey.fields, body, 'create');
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const fingerprint = String(values.fingerprint);
  const { before: pin } = await acceptHostKey({ id: object, fingerprint }, { audit, caller, tx });
  const before = { fingerprint: pin.fingerprint };
  check(before);
  return { proposed, object, name: nameOfPin(pin), before, after: { fingerprint } };
}
