import { fileURLToPath } from 'node:url';

interface Screen {
  readonly path: string;
  readonly permissions?: number;
  readonly licenseRequired?: boolean;
  readonly unlisted?: true;
  readonly component?: unknown;
}

// By a name in a variable: the types of the console need a browser's compiler settings.
const REGISTRY = fileURLToPath(new URL('../../web/src/console/screens/index.ts', import.meta.url));

/** The screens that the console declares. */
export async function declaredScreens(): Promise<readonly Screen[]> {
  const { SCREENS } = (await import(/* @vite-ignore */ REGISTRY)) as { readonly SCREENS: readonly Screen[] };
  return SCREENS;
}
