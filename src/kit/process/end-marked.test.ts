import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { endMarked } from './end-marked.ts'

const start = (mark: string, script: string) => {
  const child = spawn('/bin/sh', ['-c', script], { env: { DROVER_OWNER: mark }, stdio: 'ignore', detached: true })
  return { pid: Number(child.pid), exit: once(child, 'exit') }
}

describe.skipIf(process.platform !== 'linux')('endMarked', () => {
  it('ends everybody who carries the mark, also the stubborn, and nobody else', async () => {
    const polite = start('a-mark-of-this-test', 'sleep 300')
    const stubborn = start('a-mark-of-this-test', 'trap "" TERM; while :; do sleep 1; done')
    const stranger = start('another-mark', 'sleep 300')
    await endMarked('a-mark-of-this-test')
    expect(await polite.exit).toEqual([null, 'SIGTERM'])
    expect(await stubborn.exit).toEqual([null, 'SIGKILL'])
    expect(process.kill(stranger.pid, 0)).toBe(true)
    process.kill(-stranger.pid, 'SIGKILL')
    await stranger.exit
  })

  it('is done at once where nobody does', async () => {
    await expect(endMarked('a-mark-that-nobody-carries')).resolves.toBeUndefined()
  })
})
