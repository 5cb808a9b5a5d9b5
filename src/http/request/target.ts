/** The target of a request (RFC 9112, section 3.2): the URL for the router, and the decoded path. */

/**
 * The URL that Fastify routes. A target may have a scheme and host before the path (section 3.2.2). If the path is not
 * valid percent-encoding, it is escaped again: Fastify would answer it without running a hook. A slash at the end of the
 * path is ignored, because many clients append one.
 */
export function routableUrl(target: string): string {
  if (target.startsWith('/') && !target.includes('%')) return withoutLastSlash(target)
  const [authority] = /^https?:\/\/[^/?#]*/i.exec(target) ?? []
  const url = authority === undefined ? target : target.slice(authority.length).replace(/^(?!\/)/, '/')
  return withoutLastSlash(isDecodable(url) ? url : url.replaceAll('%', '%25'))
}

/** `/docs/` and its files stay: it redirects to `/docs`, where the relative links of the page are right. */
function withoutLastSlash(url: string): string {
  const path = rawPath(url)
  if (path.length < 2 || !path.endsWith('/') || path.startsWith('/docs/')) return url
  return path.slice(0, -1) + url.slice(path.length)
}

/** The path, decoded exactly as the router does it. A guard and the router must never see different paths. */
export function decodePath({ url }: { url: string }): string {
  const path = rawPath(url)
  return path.includes('%') ? decodeURI(path) : path
}

/** It is answered whatever else the server refuses. */
export function isHealthCheck(request: { url: string }): boolean {
  return ['/health', '/ready'].includes(decodePath(request))
}

/**
 * The path with `*` in place of each word that is in no route. The log shows it, so that the operator sees what a client
 * looked for; any other word may be a key that somebody has pasted into an address.
 */
export function withRouteWordsOnly(path: string, routes: readonly { path: string }[]): string {
  const words = new Set(routes.flatMap((route) => route.path.split('/')))
  return path
    .split('/')
    .map((word) => (words.has(word) || /^v\d$/.test(word) ? word : '*'))
    .join('/')
}

export function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURI(rawPath(url))
    return true
  } catch {
    return false
  }
}

function rawPath(url: string): string {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}
