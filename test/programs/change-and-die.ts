/**
 * Makes a change with every kind of step, and kills itself before the nth call that changes a directory:
 * `<root> <n> [wait]`. With `wait` it prints `here` and stops there instead, holding the lock.
 */
import { join } from 'node:path'
import { changeHosts } from '../../src/hosts/change/change-hosts.ts'
import { installFailed } from '../../src/hosts/faults.ts'
import type { Plan } from '../../src/hosts/plan/plan.ts'
import { digest } from '../../src/kit/digest.ts'
import { identifyWorkspace } from '../../src/workspace/discover-workspace.ts'
import { watchedDisk } from '../support/watched-disk.ts'

const [root = '', call, mode] = process.argv.slice(2)

const before = (name: string) => digest(`${name}, before`)
const plan: Plan = {
  hosts: ['claude'],
  steps: [
    { do: 'create', path: '.claude/made/deep/created', text: 'created', mode: 0o644 },
    { do: 'create', path: '.claude/empty', text: '', mode: 0o600 },
    ...(mode === undefined
      ? ([
          { do: 'replace', path: '.claude/replaced', expects: before('replaced'), text: 'after', mode: 0o600 },
          { do: 'remove', path: '.claude/removed', expects: before('removed') },
          { do: 'remove', path: '.claude/emptied/file', expects: before('emptied/file') },
          { do: 'verify', path: '.claude/verified', expects: before('verified') },
          { do: 'remove_directory', path: '.claude/emptied' },
        ] as const)
      : []),
  ],
  preserved: [],
  warnings: [],
}

let count = 0
const disk = watchedDisk(({ name }) => {
  if (!/^(link|mkdir|rename|rmdir|unlink)Sync$/.test(name)) return
  count += 1
  if (count !== Number(call)) return
  if (mode === undefined) process.kill(process.pid, 'SIGKILL')
  process.stdout.write('here\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
})
const git = join(root, '.git')
const workspace = identifyWorkspace({ worktree_root: root, git_dir: git, git_common_dir: git })
const { signal } = new AbortController()
await changeHosts({ workspace, hosts: [], decide: () => plan, fail: installFailed, signal, disk })
