import { lazyComponent } from '../../../kit/lazy-component.tsx';

// Loaded when first shown: the page of another room must not wait for them.
const module = () => import('./PermissionRules.tsx');

export const PermissionRules = lazyComponent(() => module().then((all) => all.PermissionRules));
