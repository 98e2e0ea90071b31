import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// Slow machines need long timeouts; no test here measures time.
configure({ asyncUtilTimeout: 60_000 });

// Files share a worker, and Testing Library cleans up only in the first of them.
afterEach(cleanup);

// jsdom lacks these functions.
Object.defineProperty(window, 'scrollTo', { value: () => undefined });
Element.prototype.scrollIntoView ??= () => undefined;
