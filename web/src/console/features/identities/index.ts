export { OwnIdentities, UserIdentities } from './Identities.tsx';
