import type { SignInAnswer } from '@sallyport/contract';

/**
 * Sends a step to the server. An error that ends the sign-in returns to the first step; other
 * errors are thrown.
 */
export type Take = (run: () => Promise<SignInAnswer>) => Promise<void>;
