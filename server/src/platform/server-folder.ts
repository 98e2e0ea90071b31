import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

const description = findPackageJSON(import.meta.url);
if (!description) throw new Error('the package of the server has no package.json');

/** The folder of the server's package: the same for the sources and for the bundle that is made of them. */
export const SERVER_FOLDER = dirname(description);
