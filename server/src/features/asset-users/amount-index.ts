import { ORIGINS } from './rows.ts';

/** The counts per asset: all accounts, the best per username, and those of each origin. */
export const SHAPES = ['all', 'latest', ...ORIGINS] as const;
export type Shape = (typeof SHAPES)[number];

/** Order of assets in a list. The order within an asset is fixed. */
export type AssetOrder = 'hostname' | '-hostname' | 'ip' | '-ip';

/** Account counts of one asset, in the order of {@link SHAPES}. */
export interface AssetAmounts {
  readonly id: string;
  readonly amounts: readonly number[];
}

/** A page of a list. */
export interface PageRequest {
  readonly shape: Shape;
  readonly order: AssetOrder;
  /** Lower-case texts that hostname and address must contain together. */
  readonly texts: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

/** The assets that a page consists of. */
export interface PageAssets {
  /** Number of accounts in the whole list. */
  readonly total: number;
  readonly assets: readonly string[];
  /** Number of accounts of the first asset that belong to earlier pages. */
  readonly skip: number;
}

/** Account counts of the assets of one organization. */
export interface Amounts {
  /** Replaces the counts of the assets `ids`; those missing from `counted` have no accounts. */
  set(counted: readonly AssetAmounts[], ids: readonly string[]): void;
  find(request: PageRequest): PageAssets;
  /** Totals of other lists, by their query. Cleared when a count changes. */
  readonly counts: Map<string, number>;
  /**
   * Returns true if a username contains one of these texts. Then a search can match some accounts
   * of an asset only.
   */
  hasUsername(texts: readonly string[]): boolean;
}

/** An asset of an organization. */
export interface ListedAsset {
  readonly id: string;
  /** Hostname and address in lower case. */
  readonly text: string;
  /** Place in the order of addresses, from 0. */
  readonly ip_place: number;
}

/** Creates counts of zero. `assets` is in the order of hostnames. */
export function createAmounts(
  assets: readonly ListedAsset[],
  usernames: readonly string[],
): Amounts {
  const places = new Map(assets.map(({ id }, place) => [id, place]));
  const ipOrder = new Uint32Array(assets.length);
  for (const [place, { ip_place: at }] of assets.entries()) ipOrder[at] = place;
  const amounts = SHAPES.map(() => new Uint32Array(assets.length));
  /** Prefix sums of counts in an order; for lists without a search. */
  const sums = new Map<string, Float64Array>();
  const counts = new Map<string, number>();

  const sumOf = (shape: Shape, isByIp: boolean, numbers: Uint32Array): Float64Array => {
    const key = `${shape} ${isByIp}`;
    const cached = sums.get(key);
    if (cached) return cached;
    const sum = new Float64Array(assets.length + 1);
    for (let at = 0; at < assets.length; at++)
      sum[at + 1] = (sum[at] ?? 0) + (numbers[isByIp ? (ipOrder[at] ?? 0) : at] ?? 0);
    sums.set(key, sum);
    return sum;
  };

  return {
    counts,
    set(counted, ids) {
      for (const id of ids)
        for (const numbers of amounts) if (places.has(id)) numbers[places.get(id) ?? 0] = 0;
      for (const { id, amounts: values } of counted) {
        const place = places.get(id);
        if (place !== undefined)
          for (const [at, numbers] of amounts.entries()) numbers[place] = values[at] ?? 0;
      }
      sums.clear();
      counts.clear();
    },
    hasUsername: (texts) =>
      usernames.some((username) => texts.some((text) => username.includes(text))),
    find({ shape, order, texts, offset, limit }) {
      const numbers = amounts[SHAPES.indexOf(shape)] ?? new Uint32Array();
      const [isByIp, isDown] = [order.endsWith('ip'), order.startsWith('-')];
      const length = assets.length;
      const placeOf = (at: number): number => {
        const here = isDown ? length - 1 - at : at;
        return isByIp ? (ipOrder[here] ?? 0) : here;
      };
      if (texts.length > 0) return search();
      // In descending order, the accounts before a place are those after it in ascending order.
      const sum = sumOf(shape, isByIp, numbers);
      const total = sum[length] ?? 0;
      const before = (at: number) => (isDown ? total - (sum[length - at] ?? 0) : (sum[at] ?? 0));
      let [low, high] = [0, length];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (before(middle) <= offset) low = middle;
        else high = middle - 1;
      }
      const ids: string[] = [];
      const end = offset + limit;
      for (let at = low; at < length && before(at) < end; at++) {
        const place = placeOf(at);
        const asset = assets[place];
        if (asset && (numbers[place] ?? 0) > 0) ids.push(asset.id);
      }
      return { total, assets: ids, skip: offset - before(low) };

      /** Scans the texts of all assets once. */
      function search(): PageAssets {
        const ids: string[] = [];
        let [seen, skip] = [0, 0];
        for (let at = 0; at < length; at++) {
          const place = placeOf(at);
          const count = numbers[place] ?? 0;
          const asset = assets[place];
          if (count === 0 || !asset || !texts.every((text) => asset.text.includes(text))) continue;
          if (seen + count > offset && seen < offset + limit) {
            if (ids.length === 0) skip = offset - seen;
            ids.push(asset.id);
          }
          seen += count;
        }
        return { total: seen, assets: ids, skip };
      }
    },
  };
}
