import { type ConsequencesQuestion, userGroup } from '@sallyport/contract';
import { useObjectId } from '../../base/navigation.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { ReferenceField } from '../../resource/form/ReferenceField.tsx';
import type { FieldOverrides, WidgetProps } from '../../resource/form/spec.ts';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { AccessPreview, agreeToAccess } from '../access/index.ts';
import { GROUPABLE } from './groupable.ts';
import { words } from './words.ts';

function MembersField(props: WidgetProps) {
  return <ReferenceField {...props} reference={GROUPABLE} />;
}

const OVERRIDES: FieldOverrides = { users: { widget: MembersField } };

/**
 * The consequences to check before saving members of a group; a new group has no permissions yet.
 */
function plannedBy({ users }: FormValues, id: string): ConsequencesQuestion | undefined {
  return id && Array.isArray(users)
    ? { action: 'save', resource: 'user_group', ids: [id], users: users.map(String) }
    : undefined;
}

export function UserGroupForm() {
  const id = useObjectId();
  return (
    <FormPage
      source={userGroup}
      groups={[{ title: words.basic, fields: ['name', 'users', 'comment'] }]}
      overrides={OVERRIDES}
      notice={(values, dirty) => (
        <AccessPreview question={dirty ? plannedBy(values, id) : undefined} />
      )}
      agree={(values) => agreeToAccess(plannedBy(values, id))}
    />
  );
}
