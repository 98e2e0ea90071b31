import type { Problem } from '@sallyport/contract';
import { findDanger, isTooHeavy } from './svg.ts';

export const PICTURE_NAMES = ['logo_index', 'logo_logout', 'login_image', 'favicon'] as const;
export type PictureName = (typeof PICTURE_NAMES)[number];

export type MediaType = 'image/png' | 'image/svg+xml' | 'image/x-icon';

export const MAX_PICTURE_BYTES = 1024 * 1024;
export const ENDINGS: Readonly<Record<MediaType, string>> = {
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/x-icon': 'ico',
};

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const MAX_SIDE = 4_096;

function isPng(content: Buffer): boolean {
  if (
    content.length < 45 ||
    !content.subarray(0, 8).equals(PNG_SIGNATURE) ||
    content.toString('latin1', 12, 16) !== 'IHDR'
  )
    return false;
  const [width, height] = [content.readUInt32BE(16), content.readUInt32BE(20)];
  return (
    width > 0 &&
    height > 0 &&
    width <= MAX_SIDE &&
    height <= MAX_SIDE &&
    content.subarray(-PNG_END.length).equals(PNG_END)
  );
}

/** Returns true for an icon file: a directory of pictures within the file. */
function isIcon(content: Buffer): boolean {
  if (content.length < 22 || content.readUInt32LE(0) !== 0x00010000) return false;
  const count = content.readUInt16LE(4);
  if (count < 1 || count > 32 || content.length < 6 + 16 * count) return false;
  for (let index = 0; index < count; index++) {
    const entry = 6 + 16 * index;
    const [size, offset] = [content.readUInt32LE(entry + 8), content.readUInt32LE(entry + 12)];
    if (size === 0 || offset < 6 + 16 * count || offset + size > content.length) return false;
  }
  return true;
}

function svgText(content: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return /^\s*<(\?xml|svg|!--)/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Detects the type of a picture by its content, or returns why it is rejected. */
export function inspectPicture(
  name: PictureName,
  content: Buffer,
): { readonly mediaType: MediaType } | { readonly problem: Problem } {
  if (content.length > MAX_PICTURE_BYTES)
    return { problem: { code: 'file_too_large', params: { max: MAX_PICTURE_BYTES } } };
  if (isPng(content)) return { mediaType: 'image/png' };
  if (name === 'favicon' && isIcon(content)) return { mediaType: 'image/x-icon' };
  const text = svgText(content);
  if (text === undefined)
    return {
      problem: {
        code: 'not_picture',
        params: { kinds: name === 'favicon' ? 'PNG, SVG, ICO' : 'PNG, SVG' },
      },
    };
  const danger = findDanger(text);
  if (danger !== undefined)
    return { problem: { code: 'unsafe_picture', params: { what: danger } } };
  return isTooHeavy(text) ? { problem: { code: 'heavy_picture' } } : { mediaType: 'image/svg+xml' };
}
