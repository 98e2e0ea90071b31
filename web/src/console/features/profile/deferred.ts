import { lazyComponent } from '../../../kit/lazy-component.tsx';

// Loaded when first shown: the page of another room must not wait for them.
const module = () => import('./access-keys/AccessKeys.tsx');

export const AccessKeyDialog = lazyComponent(() => module().then((all) => all.AccessKeyDialog));
