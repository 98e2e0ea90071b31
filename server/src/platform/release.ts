import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_FOLDER } from './process/server-folder.ts';

/** Facts of the build, as scripts/build.mjs and packaging/build write them. */
interface Build {
  /** First twelve digits of the commit, with `-dirty` after them if files differed from it. */
  readonly commit?: string;
  /** Platform of the package, such as linux-x64. Absent in a checkout. */
  readonly package?: string;
  /** Shell words that start the server, where the package has a unit. */
  readonly start?: string;
}

function readBuild(): Build {
  try {
    return JSON.parse(readFileSync(join(SERVER_FOLDER, 'dist/build.json'), 'utf8')) as Build;
  } catch {
    // Sources that were never bundled.
    return {};
  }
}

const { version } = JSON.parse(readFileSync(join(SERVER_FOLDER, '../package.json'), 'utf8')) as {
  readonly version: string;
};
const build = readBuild();

/** Version and commit of the running program. The commit is unknown outside of git and packages. */
export const RELEASE: { readonly version: string; readonly commit: string | undefined } = {
  version,
  commit: build.commit,
};

/** The release in one line, such as `2.1.0 (1114d68fae21)`. */
export const RELEASE_NAME = build.commit === undefined ? version : `${version} (${build.commit})`;

/** The shell words that run a command of this installation. */
export const COMMAND = build.package === undefined ? 'npm run sallyport --' : 'sallyport';

/** The shell words that start the server of this installation. */
export const START = build.start ?? (build.package === undefined ? 'npm start' : 'sallyport start');
