/** A temporary worktree for changes of hosts, and disks that fail. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import type { WorkspaceIdentity } from '../../src/contract/workspace-identity.shape.ts'
import { changeHosts, type HostChangeResult, type HostsRequest } from '../../src/hosts/change/change-hosts.ts'
import { clearChanges, type Recovery } from '../../src/hosts/change/recover-changes.ts'
import { installFailed, uninstallFailed } from '../../src/hosts/faults.ts'
import type { Surface } from '../../src/hosts/host.ts'
import { planInstall } from '../../src/hosts/plan/plan-install.ts'
import { planUninstall } from '../../src/hosts/plan/plan-uninstall.ts'
import { namedHosts } from '../../src/hosts/plan/select-hosts.ts'
import type { TreeDisk } from '../../src/hosts/worktree.ts'
import { identifyWorkspace } from '../../src/workspace/discover-workspace.ts'
import { temporaryDirectory } from './run-drover.ts'
import { type LastingCall, watchedDisk } from './watched-disk.ts'

export type HostWorktree = {
  root: string
  workspace: WorkspaceIdentity
  write: (path: string, content: string) => void
  /** Everything but the git directory: the mode and content of each file, the kind of all else. */
  tree: () => Record<string, string>
  /** The records of changes that have not ended. */
  records: () => string[]
}

export function createHostWorktree(root = realpathSync(temporaryDirectory()), git = join(root, '.git')): HostWorktree {
  mkdirSync(git, { recursive: true })
  const workspace = identifyWorkspace({ worktree_root: root, git_dir: git, git_common_dir: git })
  return {
    root,
    workspace,
    write: (path, content) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    },
    tree: () => treeOf(root),
    records: () => namesIn(join(git, 'drover', 'hosts')).filter((name) => name.startsWith('change-')),
  }
}

/** Does not sync: these tests only look at files. */
const quickDisk = watchedDisk(() => undefined)

type Decide = HostsRequest['decide']

type Wishes = { disk?: TreeDisk; surface?: Surface; isRefresh?: boolean }

export function install(site: HostWorktree, tools: readonly string[], wishes: Wishes = {}): Promise<HostChangeResult> {
  const { surface, isRefresh = true, disk } = wishes
  const hosts = namedHosts(tools)
  const decide: Decide = ({ files }) => planInstall({ hosts, isExplicit: true, surface, isRefresh, found: files })
  return changeAt(site, { hosts, decide, fail: installFailed, ...(disk && { disk }) })
}

export function uninstall(
  site: HostWorktree,
  tools: readonly string[],
  { disk }: Wishes = {},
): Promise<HostChangeResult> {
  const hosts = namedHosts(tools)
  const decide: Decide = ({ files }) => planUninstall({ hosts, found: files })
  return changeAt(site, { hosts, decide, fail: uninstallFailed, ...(disk && { disk }) })
}

export function clear({ workspace }: HostWorktree, disk: TreeDisk = quickDisk): Promise<Recovery> {
  return clearChanges({ workspace, signal: new AbortController().signal }, disk)
}

export function changeAt(
  { workspace }: HostWorktree,
  change: Pick<HostsRequest, 'hosts' | 'decide' | 'fail' | 'disk'>,
): Promise<HostChangeResult> {
  return changeHosts({ workspace, signal: new AbortController().signal, disk: quickDisk, ...change })
}

function treeOf(root: string): Record<string, string> {
  const paths = listPaths(root, '').filter((path) => path !== '.git' && !path.startsWith('.git/'))
  return Object.fromEntries(paths.sort().map((path) => [path, describe(join(root, path))]))
}

/** Does not follow links, unlike Node's recursive listing. */
function listPaths(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    return entry.isDirectory() ? [path, ...listPaths(root, path)] : [path]
  })
}

function describe(path: string): string {
  const stats = lstatSync(path)
  const mode = (stats.mode & 0o7777).toString(8)
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return stats.isFile() ? `${mode} ${readFileSync(path, 'utf8')}` : `${mode} directory`
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Not a system error, so drover does not catch it. */
class Killed extends Error {}

/** A disk that throws from the `at`-th of these calls on, as if the process had been killed there. */
export function diskOfKilled(at: number, calls?: readonly LastingCall[]): TreeDisk & { readonly isReached: boolean } {
  let isReached = false
  const disk = watchedDisk(({ name, counts }) => {
    const count = (calls ?? [...counts.keys()]).reduce((sum, call) => sum + (counts.get(call) ?? 0), 0)
    isReached ||= count >= at && (calls?.includes(name) ?? true)
    if (isReached) throw new Killed()
  })
  return Object.defineProperty(disk, 'isReached', { get: () => isReached }) as TreeDisk & { isReached: boolean }
}

export function systemError(code: keyof typeof constants.errno): Error {
  return Object.assign(new Error(`${code}, as the test wants`), { code, errno: -constants.errno[code] })
}
