/** The origins that `server.cors_allowed_origins` accepts: with at most one `*`, or `*` alone. */
export const CORS_ORIGIN = '^(?:\\*|[A-Za-z][A-Za-z0-9+.-]*://(?=[^/])[^\\s/,*]*\\*?[^\\s/,*]*)$'

/** Whether an origin can be listed. `null`, which browsers send for local files and sandboxed frames, cannot. */
export function canBeListed(origin: string): boolean {
  return new RegExp(CORS_ORIGIN).test(origin)
}
