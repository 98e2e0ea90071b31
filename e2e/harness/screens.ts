import { fileURLToPath } from 'node:url';
import type { LocalText } from '@sallyport/contract';

/** A screen as the console declares it. */
export interface DeclaredScreen {
  readonly name: string;
  readonly path: string;
  readonly title: LocalText;
  readonly resource?: string;
  readonly permissions?: number;
  readonly alsoFor?: number;
  readonly constant?: boolean;
  readonly licenseRequired?: boolean;
  readonly unlisted?: true;
  readonly component?: unknown;
}

// By a name in a variable: the types of the console need a browser's compiler settings.
const REGISTRY = fileURLToPath(new URL('../../web/src/console/screens/index.ts', import.meta.url));

/** The screens that the console declares. */
export async function declaredScreens(): Promise<readonly DeclaredScreen[]> {
  const { SCREENS } = (await import(/* @vite-ignore */ REGISTRY)) as {
    readonly SCREENS: readonly DeclaredScreen[];
  };
  return SCREENS;
}
