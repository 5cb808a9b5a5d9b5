import { describe, expect, it } from 'vitest'
import type { AccessEntry } from '../../kit/log.ts'
import type { Runtime } from '../command.ts'
import type { Channel } from '../terminal.ts'
import { createServerLog } from './server-log.ts'

const ENTRY: AccessEntry = {
  request_id: 'r1',
  method: 'POST',
  route: '/api/v1/prompt',
  status: 200,
  bytes: 100,
  duration_ms: 1204,
  client: '127.0.0.1',
}

async function onTerminal(options = { isQuiet: false }) {
  const lines: string[] = []
  const err: Channel = {
    write: async (text) => {
      lines.push(String(text))
      return 'written'
    },
    style: (_style, text) => text,
    isTty: true,
    canRedraw: true,
    columns: 80,
    rows: 24,
    hasStyle: false,
    disableColor: () => {},
  }
  const runtime = {
    terminal: { out: err, err },
    clock: { now: () => new Date(2026, 0, 31, 9, 30, 0) },
  } as unknown as Runtime
  return { lines, ...(await createServerLog(runtime, options)) }
}

describe('the log on a terminal', () => {
  it('has one short line per request', async () => {
    const { lines, writeAccessLog } = await onTerminal()
    writeAccessLog(ENTRY)
    writeAccessLog({ ...ENTRY, status: 401, backend: 'claude', key: 'ci', error: 'unauthorized' })
    expect(lines).toEqual([
      '09:30:00 200 POST /api/v1/prompt 1204 ms\n',
      '09:30:00 401 POST /api/v1/prompt 1204 ms claude key ci unauthorized\n',
    ])
  })

  it('shows prompts and answers without control characters and secrets', async () => {
    const { lines, writeAccessLog } = await onTerminal()
    writeAccessLog({ ...ENTRY, prompt: 'a\u001b[2Jb sk-abcdefghijkl', answer: 'c' })
    expect(lines).toEqual(['09:30:00 200 POST /api/v1/prompt 1204 ms > a[2Jb [redacted] < c\n'])
  })

  it('with --quiet shows problems but no requests', async () => {
    const { lines, writeAccessLog, log } = await onTerminal({ isQuiet: true })
    writeAccessLog(ENTRY)
    log.with({ request_id: 'r1' }).error({ reason: 'disk full', api_key: 'abc' }, 'it failed')
    log.debug({}, 'not shown')
    expect(lines).toEqual(['drover: error: it failed request_id=r1 reason=disk full api_key=[redacted]\n'])
  })
})
