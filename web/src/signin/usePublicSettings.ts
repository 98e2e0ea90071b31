import type { PublicSettings } from '@sallyport/contract';
import { useSyncExternalStore } from 'react';
import { api } from '../kit/api.ts';
import { type Brand, brandOf, showBrand } from '../kit/page/brand.ts';

let settings: PublicSettings | undefined;
let isRequested = false;
const listeners = new Set<() => void>();

async function load(): Promise<void> {
  try {
    const { data } = await api.get<{ data: PublicSettings }>('settings/public/', { quiet: true });
    showBrand(data);
    settings = data;
    for (const listener of listeners) listener();
  } catch {
    // Signing in works without settings: the page keeps the default look.
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!isRequested) {
    isRequested = true;
    void load();
  }
  return () => void listeners.delete(listener);
}

/** The public settings, loaded once; undefined while loading and after an error. */
export function usePublicSettings(): PublicSettings | undefined {
  return useSyncExternalStore(subscribe, () => settings);
}

const NOTHING_SET = {
  LOGIN_TITLE: '',
  LOGO_URLS: { logo_logout: '', logo_index: '', login_image: '', favicon: '' },
};

/** The branding of the installation; the default branding while loading. */
export function useBrand(): Brand {
  return brandOf(usePublicSettings() ?? NOTHING_SET);
}
