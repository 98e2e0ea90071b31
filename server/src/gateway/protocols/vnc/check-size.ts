import { MAX_DESKTOP_PIXELS, MAX_DESKTOP_SIDE } from '@sallyport/contract';
import { UnknownData } from '@sallyport/vnc';

/** Checks the limits of a desktop's size. @throws UnknownData */
export function checkSize(width: number, height: number): void {
  if (
    width < 1 ||
    height < 1 ||
    width > MAX_DESKTOP_SIDE ||
    height > MAX_DESKTOP_SIDE ||
    width * height > MAX_DESKTOP_PIXELS
  ) {
    throw new UnknownData(`a desktop of ${width} by ${height}`);
  }
}
