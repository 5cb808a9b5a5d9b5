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
  const path = rawPathOf(url)
  if (path.length < 2 || !path.endsWith('/') || path.startsWith('/docs/')) return url
  return path.slice(0, -1) + url.slice(path.length)
}

/** The path, decoded exactly as the router does it. A guard and the router must never see different paths. */
export function pathOf({ url }: { url: string }): string {
  const path = rawPathOf(url)
  return path.includes('%') ? decodeURI(path) : path
}

export function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURI(rawPathOf(url))
    return true
  } catch {
    return false
  }
}

function rawPathOf(url: string): string {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}
