import { userGroup } from '@sallyport/contract';
import { FormPage } from '../../resource/form/FormPage.tsx';
import { ReferenceField } from '../../resource/form/ReferenceField.tsx';
import type { FieldOverrides, WidgetProps } from '../../resource/form/spec.ts';
import { GROUPABLE } from './groupable.ts';
import { words } from './words.ts';

function MembersField(props: WidgetProps) {
  return <ReferenceField {...props} reference={GROUPABLE} />;
}

const OVERRIDES: FieldOverrides = { users: { widget: MembersField } };

/** Creates or changes a group. */
export function UserGroupForm() {
  return <FormPage source={userGroup} listPath="/users/groups" groups={[{ title: words.basic, fields: ['name', 'users', 'comment'] }]} overrides={OVERRIDES} />;
}
