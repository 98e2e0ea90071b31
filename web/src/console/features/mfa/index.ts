export { FreshFactor } from './FreshFactor.tsx';
export { IssueDialog } from './IssueDialog.tsx';
export { MfaPanel } from './MfaPanel.tsx';
export { type Change, useConfirmed } from './useConfirmed.tsx';
export { useFreshFactor } from './useFreshFactor.tsx';
export { mfaText, words as mfaWords } from './words.ts';
