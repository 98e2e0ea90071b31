import type { PublicSettings } from '@sallyport/contract';
import { useSyncExternalStore } from 'react';
import { api } from '../kit/api.ts';
import { type Brand, brandOf, showBrand } from '../kit/brand.ts';

let settings: PublicSettings | undefined;
let asked = false;
const listeners = new Set<() => void>();

async function load(): Promise<void> {
  try {
    const { data } = await api.get<{ data: PublicSettings }>('settings/public/', { quiet: true });
    showBrand(data);
    settings = data;
    for (const listener of listeners) listener();
  } catch {
    // Signing in works without them: the page keeps the product's own look.
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!asked) {
    asked = true;
    void load();
  }
  return () => void listeners.delete(listener);
}

/** The public settings of the installation, read once; absent until they are known, and when they cannot be read. */
export function usePublicSettings(): PublicSettings | undefined {
  return useSyncExternalStore(subscribe, () => settings);
}

const NOTHING_SET = {
  LOGIN_TITLE: '',
  LOGO_URLS: { logo_logout: '', logo_index: '', login_image: '', favicon: '' },
};

/** How the installation wants to look; the product's own look until that is known. */
export function useBrand(): Brand {
  return brandOf(usePublicSettings() ?? NOTHING_SET);
}
