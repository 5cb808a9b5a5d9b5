/** Origins of web pages, and the patterns that allow them. */

/**
 * A pattern is an origin with at most one `*` in it, which stands for any number of characters within the host and port.
 * As a port it stands for the default one too, which origins leave out.
 */
export function isAllowedOrigin(origin: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    if (pattern === '*' || pattern === origin || pattern === `${origin}:*`) return true
    const [start = '', end] = pattern.split('*')
    if (end === undefined || origin.length < start.length + end.length) return false
    return (
      origin.startsWith(start) &&
      origin.endsWith(end) &&
      isPlain(origin.slice(start.length, origin.length - end.length))
    )
  })
}

/** A `*` for a port must not swallow `:1@evil.example`, nor one for a host a path. */
function isPlain(text: string): boolean {
  return /^[A-Za-z0-9.:-]*$/.test(text)
}

/** Whether a page was served by the very server that it calls, as `/docs` is. */
export function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && [`http://${host}`, `https://${host}`].includes(origin)
}
