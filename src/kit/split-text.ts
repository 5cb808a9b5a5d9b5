/** Pieces of `limit` characters or fewer, which never split a surrogate pair. None for an empty text. */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = isFirstOfPair(text, at + limit - 1) ? at + limit - 1 : at + limit
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

function isFirstOfPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff
}
