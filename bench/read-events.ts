/** What it costs to read a million event lines of each agent, against splitting the same bytes into lines. */
import { NATIVE_BACKENDS, type NativeBackend } from '../src/agents/adapter/agent.ts'
import { NATIVE_AGENTS } from '../src/agents/registry.ts'
import { readLines } from '../src/kit/read-lines.ts'
import { formatTable, measure } from './measure.ts'

const LINES = 1_000_000
const CHUNK_BYTES = 65_536
const ROUNDS = 3

/** One piece of text in the format of each agent, as the real programs print it. */
const EVENT: Record<NativeBackend, object> = {
  claude: {
    type: 'stream_event',
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' word' } },
    session_id: 'ceab2313-92b2-4ff7-bc9b-d184deb1fd14',
    parent_tool_use_id: null,
    uuid: '65196cd5-c628-4355-87d1-2e26e03c3309',
  },
  codex: { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'a message of a few words' } },
  gemini: { type: 'message', timestamp: '2026-01-31T09:30:00.000Z', role: 'assistant', content: ' word', delta: true },
}

export async function benchEvents(): Promise<string> {
  const tables: string[] = []
  for (const backend of NATIVE_BACKENDS) {
    const chunks = chunksOf(`${JSON.stringify(EVENT[backend])}\n`)
    const timings = await measure(
      [
        { name: 'split into lines', once: () => splitOnly(chunks) },
        { name: 'split and JSON.parse', once: () => parseOnly(chunks) },
        { name: 'split and read as events', once: () => readAll(backend, chunks) },
      ],
      ROUNDS,
    )
    tables.push(formatTable(`A million event lines of ${backend}`, timings))
  }
  return tables.join('\n\n')
}

function chunksOf(line: string): Buffer[] {
  const whole = Buffer.from(line.repeat(LINES))
  const count = Math.ceil(whole.length / CHUNK_BYTES)
  return Array.from({ length: count }, (_, at) => whole.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES))
}

async function* flow(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

const RULES = { limitBytes: CHUNK_BYTES, onOversize: () => undefined }

async function splitOnly(chunks: readonly Buffer[]): Promise<void> {
  let count = 0
  for await (const lines of readLines(flow(chunks), RULES)) count += lines.length
  expectAll(count)
}

async function parseOnly(chunks: readonly Buffer[]): Promise<void> {
  let count = 0
  for await (const lines of readLines(flow(chunks), RULES)) {
    for (const line of lines) if (JSON.parse(line) !== null) count += 1
  }
  expectAll(count)
}

async function readAll(backend: NativeBackend, chunks: readonly Buffer[]): Promise<void> {
  const reader = NATIVE_AGENTS[backend].createReader({})
  let count = 0
  for await (const lines of readLines(flow(chunks), RULES)) {
    for (const line of lines) count += reader.readLine(line).length
  }
  expectAll(count)
}

/** A bench that reads less than it claims measures nothing. */
function expectAll(count: number): void {
  if (count !== LINES) throw new Error(`read ${count} of ${LINES} lines`)
}
