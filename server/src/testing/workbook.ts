import type { Client } from './client.ts';
import { unzip } from './unzip.ts';

/** Downloads a list as an Excel workbook. Returns the XML of its sheet. */
export async function sheetOf(client: Client, path: string): Promise<string> {
  const answer = await fetch(new URL(`/api/v1/${path}`, client.url), { headers: client.headers });
  const content = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${content}`);
  return String(unzip(content).get('xl/worksheets/sheet1.xml'));
}

/** The XML of a cell that holds a text. */
export const textCell = (text: string): string =>
  `t="inlineStr"><is><t xml:space="preserve">${text}</t>`;
