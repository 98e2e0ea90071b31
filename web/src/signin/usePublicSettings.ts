import type { PublicSettings } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../kit/api.ts';
import { type Brand, brandOf, showBrand } from '../kit/brand.ts';

/** What everybody may know of the installation; absent until it is known, and when it cannot be read. */
export function usePublicSettings(): PublicSettings | undefined {
  const query = useQuery({
    queryKey: ['public-settings'],
    queryFn: async ({ signal }) => {
      const { data } = await api.get<{ data: PublicSettings }>('settings/public/', { signal, quiet: true });
      showBrand(data);
      return data;
    },
  });
  return query.data;
}

const NOTHING_SET = { LOGIN_TITLE: '', LOGO_URLS: { logo_logout: '', logo_index: '', login_image: '', favicon: '' } };

/** How the installation wants to look; the product's own look until that is known. */
export function useBrand(): Brand {
  return brandOf(usePublicSettings() ?? NOTHING_SET);
}
