/**
 * Passes Node's compile cache to child processes without other inherited variables; otherwise each
 * compiles the whole program.
 */
export function compileCache(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  return folder ? { NODE_COMPILE_CACHE: folder } : {};
}
