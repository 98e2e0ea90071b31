import type { FormValues } from '../../resource/form/form-state.ts';
import type { FieldOverrides } from '../../resource/form/spec.ts';

const withoutApproval = (values: FormValues) => values.needs_approval !== true;

/** Hides the terms of an approval that the permission does not ask for. */
export const APPROVAL_TERMS: FieldOverrides = {
  approval_minutes: { hidden: withoutApproval },
  approvers: { hidden: withoutApproval },
  approver_groups: { hidden: withoutApproval },
};
