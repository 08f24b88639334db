/**
 * The parameters as an object. Nothing, `[]` (Lua's empty table) and `[null]` (vscode-jsonrpc's `undefined`) all mean
 * "no parameters"; whatever else it is, validation says.
 */
export function byName(params: unknown): unknown {
  if (params === undefined || params === null) return {};
  if (!Array.isArray(params)) return params;
  return params.length === 0 || (params.length === 1 && params[0] === null) ? {} : params;
}
