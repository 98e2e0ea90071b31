export { AccessKeyDialog } from './deferred.ts';
export { DeputiesCard } from './deputies/DeputiesCard.tsx';
export { SignInList } from './SignInList.tsx';
export { SignInRulesCard } from './SignInRulesCard.tsx';
export { ownScreens } from './screens.ts';
