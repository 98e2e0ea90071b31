import { createElement, type FunctionComponent, type SVGProps } from 'react';

/**
 * Icon props: those of the SVG element, width and height in pixels (24), color (of the text), and
 * line width (2).
 */
export interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke'> {
  readonly size?: number | string | undefined;
  readonly stroke?: number | undefined;
}

export type Icon = FunctionComponent<IconProps>;

/** Attributes of every icon: a view box of 24 units. */
const SQUARE = { xmlns: 'http://www.w3.org/2000/svg', viewBox: '0 0 24 24' };

const draw = (
  shapes: readonly string[],
  size: number | string,
  attributes: SVGProps<SVGSVGElement>,
) =>
  createElement(
    'svg',
    { ...SQUARE, width: size, height: size, ...attributes },
    ...shapes.map((d) => createElement('path', { d })),
  );

export function outline(shapes: readonly string[]): Icon {
  return ({ size = 24, color = 'currentColor', stroke = 2, ...rest }) =>
    draw(shapes, size, {
      fill: 'none',
      stroke: color,
      strokeWidth: stroke,
      strokeLinecap: 'round',
      strokeLinejoin: 'round',
      ...rest,
    });
}

export function filled(shapes: readonly string[]): Icon {
  return ({ size = 24, color = 'currentColor', stroke: _, ...rest }) =>
    draw(shapes, size, { fill: color, ...rest });
}
