/**
 * What is counted of an asset: all accounts, the best of each username, and those of each origin.
 */
export const SHAPES = [
  'all',
  'latest',
  'db',
  'admin_user',
  'system_user',
  'system_user_dynamic',
] as const;
export type Shape = (typeof SHAPES)[number];

/** The order of a list; within an asset it is always the same. */
export type AssetOrder = 'hostname' | '-hostname' | 'ip' | '-ip';

/** The accounts of one asset, counted by {@link SHAPES}. */
export interface AssetAmounts {
  readonly id: string;
  readonly amounts: readonly number[];
}

/** A part of a list. */
export interface Wish {
  readonly shape: Shape;
  readonly order: AssetOrder;
  /** Texts in lower case that hostname or address must all have. */
  readonly texts: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

/** Which assets a page is on. */
export interface Found {
  /** Accounts in the whole list. */
  readonly total: number;
  /** The assets of the page, in order. */
  readonly assets: readonly string[];
  /** Accounts of the first of them that belong to earlier pages. */
  readonly skip: number;
}

/** The accounts of the assets of one organization, counted. */
export interface Amounts {
  /** Sets the amounts of assets; one that is not among the counted has none. */
  set(counted: readonly AssetAmounts[], ids: readonly string[]): void;
  find(wish: Wish): Found;
  /**
   * How many accounts lists have that were counted in another way, by what they are narrowed by;
   * forgotten when an amount changes.
   */
  readonly counts: Map<string, number>;
  /**
   * Whether a username has one of these texts: then the accounts of one asset are not all found, or
   * none.
   */
  hasUsername(texts: readonly string[]): boolean;
}

/**
 * Makes the amounts of assets in the order of their hostnames, all zero; `byIp` has the same assets
 * in the other order.
 */
export function createAmounts(
  assets: readonly { readonly id: string; readonly text: string }[],
  byIp: readonly string[],
  usernames: readonly string[],
): Amounts {
  const places = new Map(assets.map(({ id }, place) => [id, place]));
  const ipOrder = Uint32Array.from(byIp, (id) => places.get(id) ?? 0);
  const amounts = SHAPES.map(() => new Uint32Array(assets.length));
  /**
   * The accounts before each asset in an order, and in the end all; for lists that are not
   * searched.
   */
  const sums = new Map<string, Float64Array>();
  const counts = new Map<string, number>();

  const sumOf = (shape: Shape, isByIp: boolean, numbers: Uint32Array): Float64Array => {
    const key = `${shape} ${isByIp}`;
    const made = sums.get(key);
    if (made) return made;
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
      for (const { id, amounts: given } of counted) {
        const place = places.get(id);
        if (place !== undefined)
          for (const [at, numbers] of amounts.entries()) numbers[place] = given[at] ?? 0;
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
      // Downwards, the accounts before a place are those that upwards come after it.
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

      /** Looks at the texts of all assets, once. */
      function search(): Found {
        const found: string[] = [];
        let [seen, skip] = [0, 0];
        for (let at = 0; at < length; at++) {
          const place = placeOf(at);
          const count = numbers[place] ?? 0;
          const asset = assets[place];
          if (count === 0 || !asset || !texts.every((wanted) => asset.text.includes(wanted)))
            continue;
          if (seen + count > offset && seen < offset + limit) {
            if (found.length === 0) skip = offset - seen;
            found.push(asset.id);
          }
          seen += count;
        }
        return { total: seen, assets: found, skip };
      }
    },
  };
}
