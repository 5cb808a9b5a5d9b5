/** The UTF-8 bytes of a text. Throws for a lone surrogate instead of writing a replacement character. */
export function encodeUtf8(text: string): Buffer {
  if (!text.isWellFormed()) throw new TypeError('a text with a lone surrogate has no UTF-8 form')
  return Buffer.from(text, 'utf8')
}

/** Orders texts by their UTF-8 bytes. JavaScript's own order differs for surrogate pairs. */
export function compareBytes(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** A surrogate is part of a character above U+FFFF, so it sorts after every other code unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
