import { readFileSync, statSync } from 'node:fs';
import { StartError } from '../../config.ts';
import { type CountryOf, readCountryDatabase } from '../../platform/countries/country-database.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { HABIT_DAYS } from './store.ts';

/** Most bytes of a file of countries, all of which stay in memory. */
const MOST_BYTES = 64 * 2 ** 20;
/** Most networks of a user whose countries are compared, the newest first. */
const MOST_NETWORKS = 5000;
const HABIT_MILLISECONDS = HABIT_DAYS * 86_400_000;

/** A sign-in, as countries are compared. */
interface SignIn {
  readonly id: string;
  readonly user_id: string;
  readonly network: string;
  readonly datetime: Date;
}

/**
 * Opens the file of countries that the operator configured.
 * @throws StartError if it cannot be used
 */
export function openCountries(path: string | undefined): CountryOf | undefined {
  if (path === undefined) return undefined;
  try {
    if (statSync(path).size > MOST_BYTES) throw new Error('is larger than 64 MiB');
    return readCountryDatabase(readFileSync(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      `SALLYPORT_COUNTRY_DATABASE cannot be used: ${code ?? message}. Name a file of countries in the MaxMind DB format (.mmdb).`,
    );
  }
}

/** The country of a network: that of its first address. */
const countryAround = (network: string, countryOf: CountryOf) =>
  countryOf(network.replace(/\/.*/, ''));

/** Returns the time of the last sign-in of a user from each country. */
async function countriesOf(
  userId: string,
  countryOf: CountryOf,
  tx: Tx,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ network: string; last_seen: Date }>`
    select network, last_seen from sign_in_place where user_id = ${userId}
    order by last_seen desc limit ${MOST_NETWORKS}`.execute(tx);
  const countries = new Map<string, number>();
  for (const { network, last_seen: date } of rows) {
    const country = countryAround(network, countryOf);
    if (country !== undefined && !countries.has(country)) countries.set(country, date.getTime());
  }
  return countries;
}

/**
 * Returns the new countries among sign-ins in the order of the log, by the id of the sign-in. Only
 * a sign-in from a new network can be from a new country. The first country of a user is none.
 */
export async function newCountries<S extends SignIn>(
  signIns: readonly S[],
  isNewNetwork: (signIn: S) => boolean,
  countryOf: CountryOf,
  tx: Tx,
): Promise<ReadonlyMap<string, string>> {
  const habits = new Map<string, Map<string, number>>();
  for (const userId of new Set(signIns.filter(isNewNetwork).map(({ user_id: id }) => id)))
    habits.set(userId, await countriesOf(userId, countryOf, tx));
  const unusual = new Map<string, string>();
  for (const signIn of signIns) {
    const countries = habits.get(signIn.user_id);
    const country = countries && countryAround(signIn.network, countryOf);
    if (!countries || country === undefined) continue;
    const time = signIn.datetime.getTime();
    const isRecent = (countries.get(country) ?? 0) > time - HABIT_MILLISECONDS;
    if (isNewNetwork(signIn) && countries.size > 0 && !isRecent) unusual.set(signIn.id, country);
    countries.set(country, time);
  }
  return unusual;
}
