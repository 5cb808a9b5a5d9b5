import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog, type LogLevel } from './log.ts'

describe('createLog', () => {
  let directory: string
  let descriptor: number

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'drover-log-'))
    descriptor = openSync(join(directory, 'log'), 'w')
  })

  afterEach(() => {
    closeSync(descriptor)
    rmSync(directory, { recursive: true })
  })

  const lines = () =>
    readFileSync(join(directory, 'log'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))

  const logAt = (level: LogLevel) => createLog({ level, descriptor })

  it('writes one JSON object per line, with level, time, fields and message', async () => {
    const log = await logAt('info')
    log.info({ route: '/health', status: 200 }, 'answered')
    expect(lines()).toEqual([
      { level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), route: '/health', status: 200, msg: 'answered' },
    ])
  })

  it('omits lines below its level', async () => {
    const log = await logAt('warn')
    log.debug({}, 'a')
    log.info({}, 'b')
    log.warn({}, 'c')
    log.error({}, 'd')
    expect(lines().map((line) => line.msg)).toEqual(['c', 'd'])
  })

  it('writes nothing when silent', async () => {
    const log = await logAt('silent')
    log.error({}, 'd')
    expect(lines()).toEqual([])
  })

  it('hides a key in the message, in a field and in the fields of a child', async () => {
    const log = await logAt('debug')
    log.with({ token: 'hunter22' }).debug({ deep: { list: ['sk-abcdefghijkl'] } }, 'got sk-abcdefghijkl')
    expect(lines()).toEqual([
      {
        level: 'debug',
        time: expect.any(String),
        token: '[redacted]',
        deep: { list: ['[redacted]'] },
        msg: 'got [redacted]',
      },
    ])
  })

  it('adds the fields of a child to its own lines only', async () => {
    const log = await logAt('info')
    const child = log.with({ request_id: 'r1' })
    child.info({ a: 1 }, 'x')
    log.info({}, 'y')
    expect(lines()).toMatchObject([{ request_id: 'r1', a: 1 }, { msg: 'y' }])
    expect(lines()[1]).not.toHaveProperty('request_id')
  })
})
