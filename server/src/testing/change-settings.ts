import type { Client, Json } from './client.ts';
import { until } from './poll.ts';

/**
 * Changes settings of a category on the first server of an installation, and waits until the others
 * have applied them. Takes an administrator's client per server.
 */
export async function changeSettings(
  [first, ...others]: readonly [Client, ...Client[]],
  category: string,
  values: Json,
): Promise<void> {
  const answer = await first.patch('settings/setting/', { [category]: values });
  if (answer.status !== 200)
    throw new Error(`the settings were answered with ${answer.status} ${answer.text}`);
  for (const other of others) {
    const areThere = async () => {
      const { body } = await other.get<Record<string, Json>>('settings/setting/');
      return Object.entries(values).every(([name, value]) => body[category]?.[name] === value);
    };
    await until(areThere, `the settings of ${category} are in force everywhere`);
  }
}
