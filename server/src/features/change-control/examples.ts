import {
  type ChangeControl,
  type ChangeSetDetail,
  type ChangeSetProposal,
  type ChangeSetRow,
  CONTROLLED_RESOURCES,
  CONTROLLED_TARGETS,
  type WaitingSetting,
} from '@sallyport/contract';
import { exampleId } from '../../http/openapi/examples.ts';

export const CONTROL: ChangeControl = {
  is_on: true,
  allows_break_glass: false,
  date_started: '2026-11-27 10:00:00 +0800',
  started_by: 'Li Wei(li.wei)',
  resources: [...CONTROLLED_RESOURCES, ...CONTROLLED_TARGETS],
};
export const ROW: ChangeSetRow = {
  id: exampleId('change_set'),
  state: 'proposed',
  reason: 'The contractors have left.',
  proposer: 'Li Wei(li.wei)',
  decider: '',
  comment: '',
  turns_off: false,
  count: 1,
  date_created: '2026-11-27 10:00:00 +0800',
  date_expires: '2026-12-04 10:00:00 +0800',
  date_decided: null,
  apply_at: null,
  date_applied: null,
  failure: '',
  is_own: false,
  is_emergency: false,
  reviewer: '',
  review_comment: '',
  date_reviewed: null,
};
export const WAITING_SETTING: WaitingSetting = {
  setting: 'SECURITY_MFA_AUTH',
  change_set: ROW.id,
  applies_at: null,
};
export const DECIDED: ChangeSetRow = {
  ...ROW,
  date_decided: '2026-11-27 11:00:00 +0800',
  apply_at: '2026-11-28 02:00:00 +0800',
  date_applied: '2026-11-28 02:00:10 +0800',
};
export const DETAIL: ChangeSetDetail = {
  ...ROW,
  can_withdraw: false,
  can_break_glass: false,
  ticket: null,
  is_requester: false,
  changes: [
    {
      resource: 'asset_permission',
      action: 'change',
      object: exampleId('asset_permission'),
      name: 'contractors',
      fields: { is_active: [true, false] },
      secrets: [],
      access: [],
    },
  ],
};
export const PROPOSAL: ChangeSetProposal = {
  reason: ROW.reason,
  changes: [
    {
      resource: 'asset_permission',
      action: 'change',
      object: exampleId('asset_permission'),
      body: { is_active: false },
    },
  ],
};
