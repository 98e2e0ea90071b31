import { lazyComponent } from '../../../kit/lazy-component.tsx';

// Loaded when first shown: the page of another room must not wait for them.
const module = () => import('./Accounts.tsx');

export const AssetAccounts = lazyComponent(() => module().then((all) => all.AssetAccounts));
export const PreferredAccounts = lazyComponent(() => module().then((all) => all.PreferredAccounts));
