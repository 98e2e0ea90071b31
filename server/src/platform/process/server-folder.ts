import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

const description = findPackageJSON(import.meta.url);
if (!description) throw new Error('the package of the server has no package.json');

/** Folder of the server package, for the sources and for their bundle. */
export const SERVER_FOLDER = dirname(description);
