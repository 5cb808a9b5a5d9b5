import { statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/run-drover.ts'
import { runInside, skipWithoutSandbox } from '../support/sandbox.ts'

const LIMIT = 1024 * 1024

describe('the limit on the size of a file', () => {
  beforeEach(skipWithoutSandbox)

  it.each([
    [LIMIT, LIMIT, 0],
    // Killed by SIGXFSZ.
    [LIMIT + 1, LIMIT, 153],
  ])('lets a command that writes %i bytes write %i', async (bytes, written, code) => {
    const [root, home] = [temporaryDirectory(), temporaryDirectory()]
    const limits = { memoryBytes: undefined, processes: undefined, fileBytes: LIMIT }
    const where = { worktree: { root }, home, droverHome: join(home, '.drover'), settings: { limits } }
    const ran = await runInside(['sh', '-c', `exec head -c ${bytes} /dev/zero > large`], where)
    expect(statSync(join(root, 'large')).size).toBe(written)
    expect(ran.code).toBe(code)
  })
})

const MEGABYTE = 1024 * 1024
const NONE = { memoryBytes: undefined, processes: undefined, fileBytes: undefined }

function limited(limits: object) {
  const [root, home] = [temporaryDirectory(), temporaryDirectory()]
  return { worktree: { root }, home, droverHome: join(home, '.drover'), settings: { limits: { ...NONE, ...limits } } }
}

describe('the limit on memory', () => {
  beforeEach(skipWithoutSandbox)

  // The shell counts too. `tail` holds all that it prints.
  it.each([
    [512, 0],
    [1024, 1],
  ])('with 1024 MB, a process that holds %i MB exits with %i', async (megabytes, code) => {
    const bytes = megabytes * MEGABYTE
    const hold = `head -c ${bytes} /dev/zero | tail -c ${bytes} > /dev/null`
    expect((await runInside(['sh', '-c', hold], limited({ memoryBytes: 1024 * MEGABYTE }))).code).toBe(code)
  })

  it('of all processes together is never left out: without systemd, nothing starts', async () => {
    const started = runInside(['true'], limited({ totalMemoryBytes: MEGABYTE }))
    await expect(started).rejects.toMatchObject({ code: 'sandbox_unavailable' })
  })
})
