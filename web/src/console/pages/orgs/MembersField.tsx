import { DEFAULT_ORGANIZATION_ID } from '@sallyport/contract';
import { RemoteSelect } from '../../resource/form/RemoteSelect.tsx';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { type Reference, referenceTo } from '../../resource/references.ts';

const USERS = referenceTo('user');
/** Everybody: a member is made of somebody who may be none yet, and the default organization knows all. */
export const EVERYBODY: Reference | undefined = USERS && { ...USERS, query: { ...USERS.query, oid: DEFAULT_ORGANIZATION_ID } };

/** The choice of members among everybody. */
export function MembersField({ label, help, error, required, disabled, value, onChange }: WidgetProps) {
  if (!EVERYBODY) return null;
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return (
    <RemoteSelect
      reference={EVERYBODY}
      label={label}
      description={help}
      error={error}
      required={required}
      disabled={disabled}
      multiple
      value={chosen}
      onChange={onChange}
    />
  );
}
