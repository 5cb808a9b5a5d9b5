import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { deleteStoredSession, sumTokens } from './stored-session.ts'

const ID = '68592195-89ab-4def-8123-456789abcdef'
const OTHER = '68592195-0000-4000-8000-000000000000'

let home: string

beforeEach(() => {
  home = temporaryDirectory()
})

function write(path: string, content: unknown): string {
  const file = join(home, '.gemini', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(content))
  return file
}

const forget = (env: Record<string, string> = { HOME: home }) => deleteStoredSession(ID, { env, workdir: '/srv/app' })

describe('a stored session of gemini', () => {
  it('is deleted with everything that belongs to it, and nothing else', async () => {
    write('projects.json', { projects: { '/srv/app': 'app' } })
    const own = [
      write('tmp/app/chats/session-2026-11-15T20-39-68592195.jsonl', { sessionId: ID }),
      write(`tmp/app/chats/${ID}/sub.jsonl`, {}),
      write(`tmp/app/${ID}/plans/a.md`, {}),
      write(`tmp/app/logs/session-${ID}.jsonl`, {}),
      write(`tmp/app/tool-outputs/session-${ID}/a.txt`, {}),
    ]
    const others = [
      write('tmp/app/chats/session-2026-11-15T20-40-68592195.jsonl', { sessionId: OTHER }),
      write('tmp/app/chats/session-2026-11-15T20-39-11112222.jsonl', { sessionId: ID }),
      write(`tmp/app/logs/session-${OTHER}.jsonl`, {}),
    ]
    expect(await forget()).toBe(true)
    expect(own.filter(existsSync)).toEqual([])
    expect(others.filter(existsSync)).toEqual(others)
  })

  it.each([
    ['in a project that is not listed', 'tmp/somewhere/chats/session-x-68592195.jsonl', {}],
    ['in the format of earlier releases', 'tmp/somewhere/chats/session-x-68592195.json', {}],
    ['when the list is damaged', 'tmp/app/chats/session-x-68592195.jsonl', 'no object'],
    ['when the list names another place', 'tmp/app/chats/session-x-68592195.jsonl', { projects: { '/srv/app': '..' } }],
  ])('is found %s', async (_name, path, projects) => {
    write('projects.json', projects)
    write(path, { sessionId: ID })
    expect(await forget()).toBe(true)
    expect(readdirSync(join(home, '.gemini', dirname(path)))).toEqual([])
  })

  it('is found in the home that gemini is told to use', async () => {
    write('tmp/app/chats/session-x-68592195.jsonl', { sessionId: ID })
    expect(await forget({ HOME: '/none', GEMINI_CLI_HOME: home })).toBe(true)
  })

  it.each([
    ['there is no home', {}],
    ['gemini was never used', { HOME: '/none' }],
  ])('is not found if %s', async (_name, env) => {
    expect(await forget(env)).toBe(false)
  })
})

describe('sumTokens', () => {
  const message = (id: string, input: number, thoughts = 0) =>
    JSON.stringify({ id, type: 'gemini', tokens: { input, output: 50, cached: 600, thoughts, tool: 0, total: 0 } })

  it('adds up the messages of a turn, each once', () => {
    const lines = [
      '{"id":"u","type":"user"}',
      message('a', 1000),
      '{"$set":{}}',
      message('a', 1000, 7),
      message('b', 500),
      '',
    ]
    expect(sumTokens(lines.join('\n'))).toEqual({
      input_tokens: 1500,
      output_tokens: 100,
      cached_tokens: 1200,
      reasoning_tokens: 7,
    })
  })

  it.each(['', '{"$set":{}}', 'not json', '{"id":5,"tokens":{}}'])('is undefined for %j', (lines) => {
    expect(sumTokens(lines)).toBeUndefined()
  })
})
