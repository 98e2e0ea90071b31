import { lazyComponent } from '../../../kit/lazy-component.tsx';

// Loaded when first shown: the page of another room must not wait for them.
const module = () => import('./AccessLists.tsx');

export const WhatCanReach = lazyComponent(() => module().then((all) => all.WhatCanReach));
export const WhoCanReach = lazyComponent(() => module().then((all) => all.WhoCanReach));
export const WhoCanUseApp = lazyComponent(() => module().then((all) => all.WhoCanUseApp));
