import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// A machine that does many things at once is slow now and then; nothing here is about how soon.
configure({ asyncUtilTimeout: 60_000 });

// Files share a worker, and the library puts away what was drawn in the first of them only.
afterEach(cleanup);

// What a browser has and this document does not.
Object.defineProperty(window, 'scrollTo', { value: () => undefined });
Element.prototype.scrollIntoView ??= () => undefined;
