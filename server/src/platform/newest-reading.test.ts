import { expect, it } from 'vitest';
import { newestReading } from './gate.ts';

it('ignores an overtaken reading and continues after a failed one', async () => {
  const readings: PromiseWithResolvers<string>[] = [];
  const kept: string[] = [];
  const reload = newestReading(
    () => {
      const reading = Promise.withResolvers<string>();
      readings.push(reading);
      return reading.promise;
    },
    (value) => void kept.push(value),
  );
  const [first, second, third] = [reload(), reload(), reload()];
  readings[1]?.resolve('second');
  await second;
  readings[0]?.resolve('first');
  await first;
  readings[2]?.reject(new Error('lost'));
  await expect(third).rejects.toThrow('lost');
  const fourth = reload();
  readings[3]?.resolve('fourth');
  await fourth;
  expect(kept).toEqual(['second', 'fourth']);
});
