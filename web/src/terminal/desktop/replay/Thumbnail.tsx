import { useEffect, useRef } from 'react';
import own from '../Desktop.module.css';
import type { Thumbnails } from './thumbnails.ts';

/** A small picture of the desktop near a second. Reserves its space before the picture loads. */
export function Thumbnail({
  thumbnails,
  second,
}: {
  readonly thumbnails: Thumbnails;
  readonly second: number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(
    () =>
      thumbnails.want(second, (picture) => {
        canvas.current?.getContext('2d')?.drawImage(picture, 0, 0);
        if (canvas.current) canvas.current.dataset.second = String(second);
      }),
    [thumbnails, second],
  );
  return (
    <canvas
      ref={canvas}
      className={own.thumbnail}
      width={thumbnails.width}
      height={thumbnails.height}
    />
  );
}
