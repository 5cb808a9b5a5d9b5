/** Which objects an object of git names. Pure. */
const SUBMODULE = '160000'

/** `content` is that of a loose object, with its header. `idBytes` is the length of an id. */
export function namedIn(content: Buffer, idBytes: number): string[] {
  const start = content.indexOf(0) + 1
  const [type] = content.toString('latin1', 0, start).split(' ')
  if (type === 'tree') return namedInTree(content, { start, idBytes })
  if (type !== 'commit' && type !== 'tag') return []
  const [head = ''] = content.toString('latin1', start).split('\n\n', 1)
  return [...head.matchAll(/^(?:tree|parent|object) ([0-9a-f]+)$/gm)].map(([, id = '']) => id)
}

/** Each entry is its mode, a space, its name, a zero byte and its id. Commits of submodules are elsewhere. */
function namedInTree(content: Buffer, { start, idBytes }: { start: number; idBytes: number }): string[] {
  const ids: string[] = []
  for (let at = start; at < content.length; ) {
    const end = content.indexOf(0, at)
    if (end === -1) break
    const mode = content.toString('latin1', at, content.indexOf(0x20, at))
    if (mode !== SUBMODULE) ids.push(content.toString('hex', end + 1, end + 1 + idBytes))
    at = end + 1 + idBytes
  }
  return ids
}
