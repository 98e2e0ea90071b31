import type { FormValues } from '../../resource/form/form-state.ts';
import type { FieldOverrides } from '../../resource/form/spec.ts';

const withoutApproval = (values: FormValues) => values.needs_approval !== true;

/** The fields of an approval, in the order of forms. */
export const APPROVAL_FIELDS = [
  'approvers',
  'approver_groups',
  'approval_stages',
  'second_approvers',
  'second_approver_groups',
  'third_approvers',
  'third_approver_groups',
] as const;

const withoutStage = (stage: number) => (values: FormValues) =>
  withoutApproval(values) || !(Number(values.approval_stages) >= stage);

/** Hides the terms of an approval that the permission does not ask for. */
export const APPROVAL_TERMS: FieldOverrides = {
  approval_minutes: { hidden: withoutApproval },
  approvers: { hidden: withoutApproval },
  approver_groups: { hidden: withoutApproval },
  approval_stages: { hidden: withoutApproval },
  second_approvers: { hidden: withoutStage(2) },
  second_approver_groups: { hidden: withoutStage(2) },
  third_approvers: { hidden: withoutStage(3) },
  third_approver_groups: { hidden: withoutStage(3) },
};
