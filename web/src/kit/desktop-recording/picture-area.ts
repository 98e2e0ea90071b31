/** Where pixels of a desktop are drawn in the window, and how large each of them is. */
export interface PictureArea {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

/** Where the pixels of a desktop are that keeps its shape in an element, in its middle. */
export function fittedArea(
  target: HTMLElement,
  size: { readonly width: number; readonly height: number },
): PictureArea {
  const { left, top, width, height } = target.getBoundingClientRect();
  const scale = Math.min(width / size.width, height / size.height);
  return {
    left: left + (width - size.width * scale) / 2,
    top: top + (height - size.height * scale) / 2,
    scale,
  };
}
