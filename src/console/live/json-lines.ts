/** Reads a stream of JSON lines. Throws if the connection fails, or is silent for too long: the server sends a heartbeat. */

export type LineStream<T> = {
  response: Response
  onLines: (lines: T[]) => void
  silenceMs: number
  abort: AbortController
}

export async function readJsonLines<T>({ response, onLines, silenceMs, abort }: LineStream<T>): Promise<void> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const silence = setTimeout(() => abort.abort(), silenceMs)
    const { done, value } = await reader.read().finally(() => clearTimeout(silence))
    if (done) return
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    onLines(lines.filter((line) => line !== '').map((line) => JSON.parse(line)))
  }
}
