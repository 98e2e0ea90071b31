import { isAddress, isInNetworks } from '@sallyport/contract';
import { type Response as MmdbRecord, Reader } from 'mmdb-lib';

/** Returns the country of an address (ISO 3166-1, two letters); undefined if it has none. */
export type CountryOf = (address: string) => string | undefined;

/** Bytes of zeros between the tree of a file and its data. */
const GAP = 16;

/** Networks that several sites use, whatever a file says about them. */
const SHARED_NETWORKS = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
];

/** Returns the country of a record, in the forms that publishers use. */
function countryIn(record: unknown): string | undefined {
  const { country_code: plain, country } = (record ?? {}) as {
    readonly country_code?: unknown;
    readonly country?: unknown;
  };
  const nested = (country as { readonly iso_code?: unknown } | undefined)?.iso_code;
  const code = plain ?? nested ?? country;
  return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : undefined;
}

function openFile(file: Buffer): Reader<MmdbRecord> {
  try {
    return new Reader(file);
  } catch {
    throw new Error('is not a MaxMind DB file');
  }
}

/**
 * Reads a file of countries in the MaxMind DB format.
 * @throws Error if the file has another format
 */
export function readCountryDatabase(file: Buffer): CountryOf {
  const reader = openFile(file);
  if (reader.metadata.searchTreeSize + GAP > file.length) throw new Error('is cut off');
  return (address) => {
    if (!isAddress(address) || isInNetworks(address, SHARED_NETWORKS)) return undefined;
    try {
      return countryIn(reader.get(address));
    } catch {
      // A damaged record has no country: alerts of other kinds continue.
      return undefined;
    }
  };
}
