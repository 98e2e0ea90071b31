import { DEFAULT_ORGANIZATION_ID } from '@sallyport/contract';
import { ReferenceField } from '../../resource/form/ReferenceField.tsx';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { narrowed } from '../../resource/references.ts';

/** Everybody: a member is made of somebody who may be none yet, and the default organization knows all. */
export const EVERYBODY = narrowed('user', { oid: DEFAULT_ORGANIZATION_ID });

/** The choice of members among everybody. */
export function MembersField(props: WidgetProps) {
  return <ReferenceField {...props} reference={EVERYBODY} />;
}
