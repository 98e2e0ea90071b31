// Before tests in the browser: they use the console and the server that `npm start` starts, made of
// the sources as they are.
import { ensureBuilt } from './build.mjs';

export const setup = () => ensureBuilt();
