import { configure } from '@testing-library/react';

// A machine that does many things at once is slow now and then; nothing here is about how soon.
configure({ asyncUtilTimeout: 10_000 });

// What a browser has and this document does not.
Object.defineProperty(window, 'scrollTo', { value: () => undefined });
Element.prototype.scrollIntoView ??= () => undefined;
