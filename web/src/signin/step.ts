import type { SignInAnswer } from '@sallyport/contract';

/** Sends a step to the server; an error that ends the sign-in leads back to its first step, any other error is thrown. */
export type Take = (run: () => Promise<SignInAnswer>) => Promise<void>;
