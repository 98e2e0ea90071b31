// Preloaded by the workers of tests that Node loads itself: Vitest reports each import of each file
// to its main process, for runs of changed files only, which costs a fifth of loading the server.
import module from 'node:module';

const { registerHooks } = module;
/** The addresses of test files, which Vitest loads again in the same worker. */
const OF_VITEST = '%3Fvitest=';

module.registerHooks = ({ resolve, ...hooks }) =>
  registerHooks({
    ...hooks,
    resolve: (specifier, context, next) =>
      specifier.includes(OF_VITEST) ? resolve(specifier, context, next) : next(specifier, context),
  });
