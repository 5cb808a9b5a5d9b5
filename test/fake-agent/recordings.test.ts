/** Compares the fake agent with recordings of the real agents: the same events in the same order, with the same fields. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentName } from '../../src/demo/demo-answer.ts'
import { runFakeAgent, startFakeAgent } from '../support/fake-agent.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { until } from '../support/until.ts'
import type { Script } from './script.ts'

const RECORDINGS = join(import.meta.dirname, '..', '..', 'test', 'recordings')

const CLAUDE = ['-p', '--model', 'claude-sonnet-4-5', '--output-format']
const ARGS: Record<AgentName, Record<string, string[]>> = {
  claude: {
    json: [...CLAUDE, 'json'],
    'stream-json': [...CLAUDE, 'stream-json', '--verbose'],
    'stream-json-partial': [...CLAUDE, 'stream-json', '--verbose', '--include-partial-messages'],
  },
  codex: { 'stream-json': ['exec', '--json', '-'] },
  gemini: { json: ['-o', 'json'], 'stream-json': ['-o', 'stream-json'] },
}

const CASES: Record<string, { prompt?: string; script?: Script }> = {
  plain: {},
  thinking: { prompt: 'think' },
  tool: { script: { tool: 'echo tool-ran-ok; pwd' } },
  e401: { script: { fail: 401 } },
}

/** Fields of the real agents that drover does not read. */
const UNIMPORTANT = [
  /^(agents|skills|slash_commands|analytics_disabled|product_feedback_disabled|memory_paths|fast_mode_state)\b/,
  /^message\.usage\.(server_tool_use|service_tier|cache_creation\b|inference_geo|iterations|speed)/,
]

describe('the events of the fake agent', () => {
  it.each<[AgentName, string, string]>([
    ['claude', 'plain', 'json'],
    ['claude', 'plain', 'stream-json'],
    ['claude', 'plain', 'stream-json-partial'],
    ['claude', 'thinking', 'json'],
    ['claude', 'thinking', 'stream-json'],
    ['claude', 'thinking', 'stream-json-partial'],
    ['claude', 'tool', 'json'],
    ['claude', 'tool', 'stream-json'],
    ['claude', 'tool', 'stream-json-partial'],
    ['claude', 'e401', 'json'],
    ['claude', 'e401', 'stream-json'],
    ['claude', 'e401', 'stream-json-partial'],
    ['codex', 'plain', 'stream-json'],
    ['codex', 'thinking', 'stream-json'],
    ['codex', 'tool', 'stream-json'],
    ['codex', 'e401', 'stream-json'],
    ['gemini', 'plain', 'json'],
    ['gemini', 'plain', 'stream-json'],
    ['gemini', 'thinking', 'json'],
    ['gemini', 'thinking', 'stream-json'],
    ['gemini', 'tool', 'json'],
    ['gemini', 'tool', 'stream-json'],
    ['gemini', 'e401', 'stream-json'],
  ])('are those of %s in the case %s, in %s', async (agent, name, format) => {
    const { stdout } = await runFakeAgent(agent, ARGS[agent][format] ?? [], CASES[name])
    expect(shapesIn(stdout)).toEqual(shapesIn(recording(agent, name, format)))
  })

  it.each<[AgentName, string]>([
    ['claude', 'json'],
    ['claude', 'stream-json'],
    ['gemini', 'json'],
    ['gemini', 'stream-json'],
  ])('are those of %s when a tool is denied, in %s', async (agent, format) => {
    const { stdout } = await runFakeAgent(agent, ARGS[agent][format] ?? [], {
      script: { tool: 'echo x', toolDenied: true },
    })
    // The recorded model called its tool without a word.
    const isText = ({ name }: Shape) => /^(assistant .*\btext|message assistant)\b/.test(name)
    const withoutText = (output: string) => shapesIn(output).filter((shape) => !isText(shape))
    expect(withoutText(stdout)).toEqual(withoutText(recording(agent, 'tool-denied', format)))
  })

  it.each(['json', 'stream-json'])('are those of an interrupted claude, in %s', async (format) => {
    const pidFile = join(temporaryDirectory(), 'pids')
    const script = { text: ['one', 'two'], hangAfter: 'word', pidFile } as const
    const { child, ended } = startFakeAgent('claude', ARGS.claude[format] ?? [], { script })
    await until(() => isHanging(pidFile))
    child.kill('SIGINT')
    expect(shapesIn((await ended).stdout)).toEqual(shapesIn(recording('claude', 'sigint', format)))
  })

  it('are those of claude when the session is missing', async () => {
    const args = [...(ARGS.claude['stream-json'] ?? []), '--resume', '67864b76-e99a-43db-a994-02adfd707235']
    const { stdout } = await runFakeAgent('claude', args, { env: { FAKE_AGENT_STATE: temporaryDirectory() } })
    expect(shapesIn(stdout)).toEqual(shapesIn(recording('claude', 'resume-missing', 'stream-json')))
  })
})

type Shape = { name: string; fields: string[] }

/** Events of the same shape in a row count as one, because the number of words does not matter. */
function shapesIn(stdout: string): Shape[] {
  const events = stdout.startsWith('{\n') ? [stdout] : stdout.trimEnd().split('\n')
  const shapes = events.map((text) => shapeOf(JSON.parse(text)))
  return shapes.filter((shape, at) => JSON.stringify(shape) !== JSON.stringify(shapes[at - 1]))
}

function shapeOf(event: Record<string, unknown>): Shape {
  const fields = [...new Set(fieldsOf(event))].filter((field) => !UNIMPORTANT.some((rule) => rule.test(field))).sort()
  return { name: nameOf(event), fields }
}

/** The values that distinguish events. */
function nameOf(event: unknown): string {
  const words: unknown[] = []
  JSON.stringify(event, (key, value) => {
    if (['type', 'subtype', 'role', 'status', 'stop_reason'].includes(key)) words.push(value)
    return value
  })
  return words.join(' ')
}

/** Paths of all fields; entries of a list share one path, and so do the entries of a table by model. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path]
  const isByModel = /(^|\.)(models|modelUsage)$/.test(path)
  return Object.entries(value).flatMap(([key, inner]) => {
    const step = Array.isArray(value) || isByModel ? '*' : key
    return fieldsOf(inner, path === '' ? step : `${path}.${step}`)
  })
}

function recording(agent: AgentName, name: string, format: string): string {
  return readFileSync(join(RECORDINGS, agent, `${name}.${format}.stdout`), 'utf8')
}

function isHanging(pidFile: string): boolean {
  try {
    return JSON.parse(readFileSync(pidFile, 'utf8')).hangs === true
  } catch {
    return false
  }
}
