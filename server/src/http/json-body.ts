import { Refusal } from './problem.ts';

/** No body of ours nests deeper than a few levels; whatever walks into a body may rely on this. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);

function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (inString) at += code === BACKSLASH ? 1 : 0;
    else if (OPEN.has(code) && ++depth > MAX_DEPTH) return true;
    else if (CLOSE.has(code)) depth--;
  }
  return false;
}

/** Reads a JSON body; an empty one is none. @throws Refusal for what is no JSON, and for nesting that could only serve to overflow a stack */
export function readJsonBody(text: string): unknown {
  if (text === '') return undefined;
  if (isTooDeep(text)) throw new Refusal(400, 'too_deep');
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'malformed_json');
  }
}
