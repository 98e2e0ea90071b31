import { userGroup } from '@sallyport/contract';
import { ReferenceField } from '../../resource/form/ReferenceField.tsx';
import type { FieldOverrides, WidgetProps } from '../../resource/form/spec.ts';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { GROUPABLE } from './groupable.ts';
import { words } from './words.ts';

function MembersField(props: WidgetProps) {
  return <ReferenceField {...props} reference={GROUPABLE} />;
}

const OVERRIDES: FieldOverrides = { users: { widget: MembersField } };

/** Creates or changes a group. */
export function UserGroupForm() {
  return <FormPage source={userGroup} groups={[{ title: words.basic, fields: ['name', 'users', 'comment'] }]} overrides={OVERRIDES} />;
}
