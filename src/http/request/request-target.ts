/** The target of a request, in the one form that the router and everybody else read. */

/**
 * A target may also name scheme and host in front of the path (RFC 9112, section 3.2.2). One that cannot be decoded is
 * escaped once more: so it passes the same doors as every other before it is refused.
 */
export function routableUrl(target: string): string {
  if (target.startsWith('/') && !target.includes('%')) return target
  const [authority] = /^https?:\/\/[^/?#]*/i.exec(target) ?? []
  const url = authority === undefined ? target : target.slice(authority.length).replace(/^(?!\/)/, '/')
  return isDecodable(url) ? url : url.replaceAll('%', '%25')
}

/** Decoded as the router does it, so that nobody takes for another path what it takes for this one. */
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
