export { AccessPreview } from './AccessPreview.tsx';
export { AccessAccounts } from './AccessReasons.tsx';
export { ActionsField } from './ActionsField.tsx';
export { ACTION_TREE, ACTION_TREES, actionsText } from './actions.ts';
export { agreeToAccess } from './agree-to-access.ts';
export { WhatCanReach, WhoCanReach, WhoCanUseApp } from './deferred.ts';
export { GrantedNodesField } from './GrantedNodesField.tsx';
export { TryAccess } from './TryAccess.tsx';
export { words as accessWords } from './words.ts';
