import type { TabAsset } from '../tabs/tabs-state.ts';

const STORAGE_KEY = 'sallyport-terminal-recent';
const KEPT = 6;

function isAsset(value: unknown): value is TabAsset {
  if (typeof value !== 'object' || value === null) return false;
  const { id, hostname, ip } = value as Partial<TabAsset>;
  return typeof id === 'string' && typeof hostname === 'string' && typeof ip === 'string';
}

/**
 * Returns the assets that this browser connected to, latest first. The server decides if they are
 * still granted.
 */
export function recentAssets(): TabAsset[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isAsset).slice(0, KEPT) : [];
  } catch {
    return [];
  }
}

/** Moves an asset to the front of the recent assets. */
export function rememberRecent({ id, hostname, ip }: TabAsset): void {
  const others = recentAssets().filter((other) => other.id !== id);
  try {
    localStorage.setItem(
      STORAGE_KEY,
      JSON.stringify([{ id, hostname, ip }, ...others].slice(0, KEPT)),
    );
  } catch {
    // Without storage no recent assets are kept.
  }
}
