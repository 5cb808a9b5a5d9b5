/** The UTF-8 bytes of a text. A text with half a surrogate pair has none: that is a bug, never a replacement character. */
export function encodeUtf8(text: string): Buffer {
  if (!text.isWellFormed()) throw new TypeError('a text with a lone surrogate has no UTF-8 form')
  return Buffer.from(text, 'utf8')
}

/** Orders texts as their UTF-8 bytes are ordered, which JavaScript's own order is not once surrogate pairs occur. */
export function compareBytes(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Half a pair stands for a character past U+FFFF, so it sorts after every unit that is a character by itself. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
