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
