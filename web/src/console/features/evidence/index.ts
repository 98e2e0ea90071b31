export { EvidenceDialog } from './deferred.ts';
export { EvidenceButton } from './EvidenceButton.tsx';
export { words as evidenceWords } from './words.ts';
