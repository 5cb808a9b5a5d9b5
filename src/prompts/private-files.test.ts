import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closeFiles, refuseAround, refuseClosed } from './private-files.ts'

function createHome() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'drover-test-')))
  const home = join(root, '.drover')
  for (const name of ['work', '.drover/worktrees/mine/src', '.drover/worktrees/other']) {
    mkdirSync(join(root, name), { recursive: true })
  }
  writeFileSync(join(home, 'config.yaml'), '')
  const files = { closed: [home, join(home, 'sessions.db'), join(root, 'keys')], open: [join(home, 'worktrees')] }
  return { root, home, files }
}

describe('closeFiles', () => {
  it('closes the directory of drover, and files elsewhere', () => {
    const { root, home, files } = createHome()
    expect(closeFiles(files, join(root, 'work'))).toEqual([home, join(root, 'keys')])
  })

  it('closes all but the way to a worktree, also what does not exist yet', () => {
    const { root, home, files } = createHome()
    expect(closeFiles(files, join(home, 'worktrees/mine/src'))).toEqual([
      join(home, 'config.yaml'),
      join(home, 'worktrees/other'),
      join(home, 'sessions.db'),
      join(root, 'keys'),
    ])
  })

  it('closes what a link leads to', () => {
    const { root, home, files } = createHome()
    symlinkSync(home, join(root, 'link'))
    expect(closeFiles({ ...files, closed: [join(root, 'link')] }, join(root, 'work'))).toEqual([home])
  })

  it('refuses to work in the directory of drover', () => {
    const { home, files } = createHome()
    expect(() => closeFiles(files, home)).toThrow('holds files of drover')
  })
})

describe('refuseClosed', () => {
  it('refuses what is closed to the agent, also the worktree of another one', () => {
    const { root, home, files } = createHome()
    const closed = closeFiles(files, join(home, 'worktrees/mine'))
    const others = [join(home, 'worktrees/other'), join(root, 'keys'), join(root, 'keys', 'deep')]
    for (const directory of others) expect(() => refuseClosed(closed, directory)).toThrow('holds files of drover')
    for (const directory of [join(home, 'worktrees/mine/src'), join(root, 'work'), join(root, 'keys2')])
      expect(() => refuseClosed(closed, directory)).not.toThrow()
  })
})

describe('refuseAround', () => {
  it('refuses a directory in which closed files are', () => {
    const { root, home } = createHome()
    expect(() => refuseAround([home], root)).toThrow('has files of drover in it')
    expect(() => refuseAround([home], join(root, 'work'))).not.toThrow()
  })
})
