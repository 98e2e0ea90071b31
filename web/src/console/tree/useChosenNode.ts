import { useState } from 'react';
import type { NodeData } from './node-data.ts';

/** Keeps the name of the chosen node: the address holds its id only. */
export function useChosenNode(chosen: string | undefined) {
  const [node, keep] = useState<NodeData>();
  return { chosen, chosenName: node?.id === chosen ? node?.value : undefined, keep };
}
