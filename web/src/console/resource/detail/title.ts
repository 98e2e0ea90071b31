import { DETAIL_TITLE_MAX } from '@sallyport/contract';

/**
 * Builds the title of a detail page: the screen title without "Detail" and the object name, cut at
 * eighty characters (conformance 2.79).
 */
export function detailTitle(screen: string, name: string): string {
  const what = screen.replace(/\s*detail/i, '').replace('详情', '');
  const title = name ? `${what}: ${name}` : what;
  const letters = [...title];
  return letters.length > DETAIL_TITLE_MAX
    ? `${letters.slice(0, DETAIL_TITLE_MAX).join('')}...`
    : title;
}
