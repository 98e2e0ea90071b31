import { DEFAULT_ORGANIZATION_ID } from '@sallyport/contract';
import { ReferenceField } from '../../resource/form/ReferenceField.tsx';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { narrowed } from '../../resource/references.ts';

/**
 * All users, listed through the default organization. A new member may not be in the current
 * organization yet.
 */
export const EVERYBODY = narrowed('user', { oid: DEFAULT_ORGANIZATION_ID });

/** A choice among all users. */
export function MembersField(props: WidgetProps) {
  return <ReferenceField {...props} reference={EVERYBODY} />;
}
