export { agreeToNothing } from './agree-to-nothing.ts';
export { APPROVAL_FIELDS, APPROVAL_TERMS } from './approval-terms.ts';
export { PermissionRules } from './deferred.ts';
export { PermissionSentence } from './PermissionSentence.tsx';
export { PermissionState } from './PermissionState.tsx';
export { SystemUserNames } from './SystemUserNames.tsx';
export { permissionScreens, unusedAccessScreens } from './screens.ts';
export { validityActions } from './validity-actions.ts';
