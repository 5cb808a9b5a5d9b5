import { realpathSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PLAIN_ENV } from '../../test/support/git-repository.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { digestUnavailableWorkspace } from '../kit/digest.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { locateGit } from '../workspace/git.ts'
import { WorkspaceCommand } from './workspace-command.ts'

const runtime = { env: PLAIN_ENV, cwd: '/' }

describe('workspaceRef', () => {
  it('has the id and the root of the worktree', async () => {
    const root = realpathSync(createRepository().root)
    const { signal } = new AbortController()
    const { id } = await discoverWorkspace({ start: root, git: locateGit(runtime), signal })
    expect(await new WorkspaceCommand(runtime, root).workspaceRef()).toEqual({ id, root })
  })

  it.each([
    ['/srv/repo', 'sha256:fdc35436a21cf59b4f0cc57ba1337de0c3c24df9103fb98af8661c1f98850a4e'],
    ['/srv/./other/../repo/', 'sha256:fdc35436a21cf59b4f0cc57ba1337de0c3c24df9103fb98af8661c1f98850a4e'],
    ['/srv/\ud800', digestUnavailableWorkspace('/srv/\ufffd')],
  ])('has a digest of the path where there is no worktree: %j', async (root, id) => {
    expect(await new WorkspaceCommand({ ...runtime, env: {} }, root).workspaceRef()).toMatchObject({ id })
  })
})
